import { Command, CommanderError, Option } from 'commander';
import { isSluiceError } from '@sluice/core-schema';
import type { Io } from '../terminal/io.ts';
import { processIo } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';

const EXIT_CODES = `
Exit codes:
  0  done
  1  the tool ran and failed
  2  the command line, the deployment or the arguments are wrong
  3  denied: by a rule, a guard, a person, or because policy could not be asked
  4  aborted, or out of time
  130  ended with Ctrl-C`;

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** The command line. `run` resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.ok;
  const program = new Command('sluice');
  const action = <A extends unknown[]>(body: (io: Io, ...args: A) => Promise<number>) => async (...args: A) => {
    code = await body(processIo(isDebug()), ...args);
  };
  const isDebug = (): boolean => argv.includes('--debug');
  program
    .description('Tools and policies for LLM agents, composed by a deployment file.')
    .option('--debug', 'stack traces and what plugins log')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ outputError: (text, write) => write(text) })
    .addHelpText('after', `${examples("sluice init", "sluice call read_file '{\"path\":\"package.json\"}'", 'sluice check')}\n${EXIT_CODES}`);

  /** A command that reads a deployment. */
  const reading = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('-f, --file <path>', 'the deployment file (default: sluice.yml, sluice.yaml or sluice.json here)')
      .option('-e, --env <name>', 'the environment whose overlays count (default: $SLUICE_ENV)');
  const scope = (): Option => new Option('-s, --scope <name>', 'the scope to look from (default: the root)');

  reading('call', 'Make one call through the whole pipeline.')
    .argument('<tool>', 'name of the tool')
    .argument('[json]', 'arguments as JSON; "-" reads standard input, "@file" a file', '{}')
    .addOption(scope())
    .option('--json', 'print the whole result as JSON')
    .addHelpText('after', `${examples("sluice call read_file '{\"path\":\"package.json\"}'", 'sluice call write_file @arguments.json --json', "echo '{\"pattern\":\"*.md\"}' | sluice call glob -")}\n${EXIT_CODES}`)
    .action(action(async (io, tool: string, json: string, options: object) => (await import('./call.ts')).call(tool, json, options, io)));

  reading('check', 'Validate the deployment, and say what it is composed of.')
    .option('--json', 'print the report as JSON')
    .option('-w, --watch', 'check again when a file changes')
    .addHelpText('after', examples('sluice check', 'sluice check --env ci --json', 'sluice check --watch'))
    .action(action(async (io, options: object) => (await import('./check.ts')).check(options, io)));

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return complain(error, processIo(isDebug()));
  }
}

/** Says what went wrong: the sentence for what somebody can put right, a stack only when it is asked for. */
function complain(error: unknown, { err, paintErr, isDebug }: Io): number {
  const message = error instanceof Error ? error.message : String(error);
  err(`${paintErr.red('error:')} ${message}`);
  if (isDebug) for (let each: unknown = error; each instanceof Error; each = each.cause) err(paintErr.dim(each.stack ?? each.message));
  else if (!isSluiceError(error)) err(paintErr.dim('Run again with --debug to see where.'));
  return isSluiceError(error) ? exitCodes.usage : exitCodes.failed;
}

