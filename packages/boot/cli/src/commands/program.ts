import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { isSluiceError } from '@sluice/core-schema';
import type { Mode } from '../file/body.ts';
import type { Io } from '../terminal/io.ts';
import { processIo } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { ownManifest } from './manifests.ts';
import type { ToolsFormat } from './tools.ts';

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
  const action = <A extends unknown[]>(body: (io: Io, ...args: A) => number | Promise<number>) => async (...args: A) => {
    code = await body(processIo(isDebug()), ...args);
  };
  const isDebug = (): boolean => argv.includes('--debug');
  program
    .description('Tools and policies for LLM agents, composed by a deployment file.')
    .version(ownManifest().version)
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

  reading('explain', 'Say which rules, guards and wrappers would act on a call, without running it.')
    .argument('<tool>', 'name of the tool')
    .argument('[json]', 'arguments as JSON; "-" reads standard input, "@file" a file', '{}')
    .addOption(scope())
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples("sluice explain write_file '{\"path\":\"a.txt\",\"content\":\"hi\"}'", "sluice explain read_file '{\"path\":\".env\"}' --env ci"))
    .action(action(async (io, tool: string, json: string, options: object) => (await import('./explain.ts')).explain(tool, json, options, io)));

  reading('tools', 'Show what the model of a scope sees.')
    .addOption(scope())
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json', 'md']).default('text'))
    .addOption(new Option('--mode <mode>', 'look at it in this presentation (default: the scope\'s own)').choices(['native', 'code', 'both']))
    .addHelpText('after', examples('sluice tools', 'sluice tools --scope reader --format md', 'sluice tools --mode code'))
    .action(action(async (io, options: { format: ToolsFormat; mode?: Mode }) => (await import('./tools.ts')).tools(options, io)));

  reading('run', 'Have an agent work on a task with the deployment\'s tools.')
    .argument('<task>', 'what to do, in words')
    .option('-m, --model <model>', 'provider:model, or a module that exports one (default: $SLUICE_MODEL)')
    .addOption(scope())
    .option('--session <file>', 'log to begin, or to go on with (default: a new one in .sluice/sessions)')
    .option('--instructions <text>', 'begin the system prompt with this')
    .option('--max-steps <n>', 'requests to the model at most', positiveInteger)
    .option('-w, --watch', 'go over to a changed deployment while the agent works')
    .addHelpText('after', `${examples('sluice run "What is in this directory?" --model openai:gpt-5', 'sluice run "Go on." --session .sluice/sessions/today.jsonl', 'sluice run "Tidy up." --model ./my-model.js --scope reader')}\n${EXIT_CODES}`)
    .action(action(async (io, task: string, options: object) => (await import('./run.ts')).run(task, options, io)));

  reading('replay', 'Draw a session log.')
    .argument('<log>', 'a .jsonl file that "run" kept')
    .option('--width <columns>', 'columns (default: the terminal\'s, or 80)', positiveInteger)
    .option('--rows <n>', 'rows of one card at most (default: 16)', positiveInteger)
    .option('--bare', 'without a deployment: every card is a generic one')
    .addHelpText('after', examples('sluice replay .sluice/sessions/today.jsonl', 'sluice replay today.jsonl --bare --width 60 | less'))
    .action(action(async (io, log: string, options: object) => (await import('./replay.ts')).replay(log, options, io)));

  program
    .command('init')
    .description('Write a commented starter deployment, and install what it names.')
    .argument('[directory]', 'where to', '.')
    .option('--no-install', 'write the files only')
    .option('--from <directory>', 'install from packed packages (.tgz) there, not from the registry')
    .addHelpText('after', examples('sluice init', 'sluice init my-agent', 'sluice init --no-install'))
    .action(action(async (io, directory: string, options: { install: boolean }) => (await import('./init.ts')).init(directory, options, io)));

  program
    .command('new-plugin')
    .description('Write a package with a plugin and tests that pass.')
    .argument('<name>', 'name of the package, such as no-secrets or @acme/no-secrets')
    .option('-d, --directory <path>', 'where to (default: a directory of that name)')
    .addHelpText('after', examples('sluice new-plugin no-secrets', 'sluice new-plugin @acme/no-secrets --directory packages/no-secrets'))
    .action(action(async (io, name: string, options: object) => (await import('./new-plugin.ts')).newPlugin(name, options, io)));

  reading('schema', 'Print the JSON Schema of deployment files, for editors.')
    .option('-o, --output <file>', 'write it there')
    .addHelpText('after', `${examples('sluice schema --output sluice.schema.json')}\n\nThen begin sluice.yml with:\n  # yaml-language-server: $schema=./sluice.schema.json`)
    .action(action(async (io, options: object) => (await import('./schema.ts')).schema(options, io)));

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return complain(error, processIo(isDebug()));
  }
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It is a whole number greater than 0.');
}

/** Says what went wrong: the sentence for what somebody can put right, a stack only when it is asked for. */
function complain(error: unknown, { err, paintErr, isDebug }: Io): number {
  const message = error instanceof Error ? error.message : String(error);
  err(`${paintErr.red('error:')} ${message}`);
  if (isDebug) for (let each: unknown = error; each instanceof Error; each = each.cause) err(paintErr.dim(each.stack ?? each.message));
  else if (!isSluiceError(error)) err(paintErr.dim('Run again with --debug to see where.'));
  return isSluiceError(error) ? exitCodes.usage : exitCodes.failed;
}

