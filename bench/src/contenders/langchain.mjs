// A LangChain structured tool, called directly. It checks arguments; a result is passed through.
import { echo, echoArguments, rowsArguments, rowsValue } from '../data.mjs';

export const name = 'langchain';
export const title = '@langchain/core tool.invoke';
export const peer = '@langchain/core';
export const checks = 'arguments';

const read = (result) => result;

export async function load() {
  const { tool } = await import('@langchain/core/tools');
  const { z } = await import('zod');
  const echoTool = tool(async (args) => echo(args), {
    name: 'echo',
    description: 'Says it again.',
    schema: z.strictObject({ message: z.string(), n: z.int() }),
  });
  const rowsTool = tool(async () => rowsValue, {
    name: 'rows',
    description: 'Many rows.',
    schema: z.strictObject({ count: z.int() }),
  });
  const small = () => echoTool.invoke(echoArguments());

  return {
    small: () => ({ call: small, read }),
    rows: () => ({ call: () => rowsTool.invoke(rowsArguments()), read }),
    batch: (size) => ({ call: () => Promise.all(Array.from({ length: size }, small)), read }),
  };
}
