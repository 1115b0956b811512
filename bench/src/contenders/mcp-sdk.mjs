// An MCP server and client in one process, over the SDK's in-memory transport. The server checks arguments and the
// result, the client checks the result once more.
import { echo, echoArguments, ROWS, rowsArguments, rowsValue, text } from '../data.mjs';

export const name = 'mcp';
export const title = '@modelcontextprotocol/sdk in memory';
export const peer = '@modelcontextprotocol/sdk';
export const checks = 'arguments and results';

const read = (result) => {
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result.structuredContent;
};

export async function load() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { z } = await import('zod');

  const echoShape = { message: z.string(), n: z.int() };
  const row = z.strictObject({ id: z.int(), name: z.string(), score: z.number(), active: z.boolean() });

  async function connect(count) {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    const client = new Client({ name: 'bench', version: '1.0.0' });
    for (let i = 0; i < count; i += 1) {
      server.registerTool(
        i === 0 ? 'echo' : `echo_${i}`,
        { description: 'Says it again.', inputSchema: echoShape, outputSchema: echoShape },
        async (args) => ({ content: text(args.message), structuredContent: echo(args) }),
      );
    }
    server.registerTool(
      'rows',
      { description: 'Many rows.', inputSchema: { count: z.int() }, outputSchema: { rows: z.array(row) } },
      async () => ({ content: text(`${ROWS} rows`), structuredContent: rowsValue }),
    );
    const [left, right] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(left), client.connect(right)]);
    // The client checks results only of tools it has listed.
    await client.listTools();
    const close = async () => {
      await client.close();
      await server.close();
    };
    return { client, close };
  }
  const calling = async (count, toolName) => {
    const { client, close } = await connect(count);
    return { call: () => client.callTool({ name: toolName, arguments: echoArguments() }), read, close };
  };

  return {
    small: () => calling(1, 'echo'),
    rows: async () => {
      const { client, close } = await connect(1);
      return { call: () => client.callTool({ name: 'rows', arguments: rowsArguments() }), read, close };
    },
    tools: (count) => calling(count, count === 1 ? 'echo' : `echo_${count - 1}`),
    batch: async (size) => {
      const one = await calling(1, 'echo');
      return {
        call: () => Promise.all(Array.from({ length: size }, one.call)),
        read: (results) => results.map(read),
        close: one.close,
      };
    },
  };
}
