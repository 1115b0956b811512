// Two tools of our own. They know nothing of deadlines, retries, rules or people; they say what they are, and policies act on that.
import { defineTool, ToolError } from '@sluice/core-tools';

const rates = { DE: 0.19, FR: 0.2, NL: 0.21 };
let connections = 0;

/** Says that it only reads, and which of its failures another attempt may cure. So the retry policy may try again. */
export const taxRate = defineTool({
  name: 'tax_rate',
  description: 'Looks up the tax rate of a country.',
  parameters: { type: 'object', properties: { country: { enum: ['DE', 'FR', 'NL'] } }, required: ['country'], additionalProperties: false },
  output: {
    schema: { type: 'object', properties: { rate: { type: 'number' }, connection: { type: 'integer' } }, required: ['rate', 'connection'] },
    render: ({ country }, { rate, connection }) => [{ type: 'text', text: `${country}: ${rate} (over connection ${connection}; the one before it was dropped)` }],
  },
  annotations: { readOnlyHint: true },
  presentCall: ({ country }) => ({ card: 'generic', title: `Tax rate of ${country}` }),
  execute({ country }) {
    // Every other connection breaks, so that there is something to see.
    connections += 1;
    if (connections % 2 === 1) throw new ToolError('the connection was dropped', { code: 'CONNECTION_DROPPED', retryable: true });
    return { rate: rates[country], connection: connections };
  },
});

/** Waits for something that never happens: nobody builds this project. Obeys its signal, which is all that a deadline needs. */
export const waitForBuild = defineTool({
  name: 'wait_for_build',
  description: 'Waits until the build has written its files.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  output: { schema: { type: 'string' }, render: (_args, text) => [{ type: 'text', text }] },
  timeoutMs: 1_000,
  annotations: { readOnlyHint: true },
  presentCall: () => ({ card: 'generic', title: 'Wait for the build' }),
  execute: (_args, { signal, progress }) =>
    new Promise((_resolve, reject) => {
      progress({ message: 'waiting for dist/ to change' });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
});
