import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ContentBlock, ToolExecutionResult } from '@sluice/core-tools';
import { DeploymentError } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { interruptible } from './interrupt.ts';
import { open, type DeploymentOptions } from './open.ts';

/** The JSON text that an argument stands for: itself, `@file`, or `-` for standard input. @throws DeploymentError */
export async function argumentsText(argument: string): Promise<string> {
  if (argument === '-') return text(process.stdin);
  if (!argument.startsWith('@')) return argument;
  const file = resolve(argument.slice(1));
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DeploymentError([{ message: `the arguments cannot be read from ${file}: ${(cause as Error).message}`, cause }]);
  }
}

/** One call through the whole pipeline. @returns the exit code */
export async function call(tool: string, argument: string, options: DeploymentOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const given = await argumentsText(argument);
  const { deployment, ctx } = await open(options, io);
  try {
    if (ctx.get('tools') === undefined) throw new DeploymentError([{ message: 'nothing in this deployment provides tools', remedy: 'Add "@sluice/core-tools" to "plugins".' }]);
    return await interruptible(async (signal, wasInterrupted) => {
      const result = await ctx.tools.execute({ name: tool, argumentsText: given, signal });
      if (options.json === true) io.out(JSON.stringify(result, null, 2));
      else print(result, io);
      return wasInterrupted() ? exitCodes.interrupted : exitCodeOf(result);
    });
  } finally {
    await deployment.close();
  }
}

/** What the model would read: a result on standard output, a failure on standard error, with its code. */
function print(result: ToolExecutionResult, io: Io): void {
  const content = result.content.map(describeBlock).join('\n');
  if (!result.isError) {
    io.out(content);
    return;
  }
  const { code, listener } = result.error.info;
  io.err(`${content}\n${io.paintErr.dim(`(${code}${listener === undefined ? '' : `, ${listener}`})`)}`);
}

export function describeBlock(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'image' || block.type === 'audio') return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
  return `[${block.type} ${block.type === 'resource_link' ? block.uri : block.resource.uri}]`;
}
