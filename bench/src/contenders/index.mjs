import * as dsh from './dsh-tools.mjs';
import * as floor from './floor.mjs';
import * as langchain from './langchain.mjs';
import * as mcp from './mcp-sdk.mjs';
import * as openaiAgents from './openai-agents.mjs';
import * as sluice from './sluice.mjs';

/** Each: `name`, `title`, `checks` (what it validates), `peer` (its package, when it is one) and `load()`, which gives the cases it can run. */
export const own = [floor, sluice];
export const peers = [openaiAgents, langchain, mcp, dsh];
