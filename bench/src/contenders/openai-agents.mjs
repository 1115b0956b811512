// An OpenAI Agents function tool, called directly. It takes JSON text and checks it; a result is passed through.
import { echo, echoArguments, rowsArguments, rowsValue } from '../data.mjs';

export const name = 'openai-agents';
export const title = '@openai/agents-core tool.invoke';
export const peer = '@openai/agents-core';
export const checks = 'arguments';

const read = (result) => result;

export async function load() {
  const { RunContext, tool } = await import('@openai/agents-core');
  const { z } = await import('zod');
  const context = new RunContext();
  const echoTool = tool({
    name: 'echo',
    description: 'Says it again.',
    parameters: z.object({ message: z.string(), n: z.int() }),
    execute: async (args) => echo(args),
  });
  const rowsTool = tool({
    name: 'rows',
    description: 'Many rows.',
    parameters: z.object({ count: z.int() }),
    execute: async () => rowsValue,
  });
  const small = () => echoTool.invoke(context, JSON.stringify(echoArguments()));

  return {
    small: () => ({ call: small, read }),
    rows: () => ({ call: () => rowsTool.invoke(context, JSON.stringify(rowsArguments())), read }),
    batch: (size) => ({ call: () => Promise.all(Array.from({ length: size }, small)), read }),
  };
}
