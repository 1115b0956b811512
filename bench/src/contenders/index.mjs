import * as dsh from './dsh-tools.mjs';
import * as floor from './floor.mjs';
import * as langchain from './langchain.mjs';
import * as mcp from './mcp-sdk.mjs';
import * as openaiAgents from './openai-agents.mjs';
import * as sluice from './sluice.mjs';

/**
 * Each: `name`, `title`, `checks` (what it validates), `peer` (its package, when it is somebody else's), and `load()`, which
 * gives the cases that it can run.
 */
export const contenders = [floor, sluice, openaiAgents, langchain, mcp, dsh];
