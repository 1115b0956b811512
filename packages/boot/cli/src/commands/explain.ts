import type { Context, ContextNode } from '@sluice/core-context';
import { compileSchema, parseJsonText, type JsonValue, type SchemaIssue } from '@sluice/core-schema';
import type { LockKeys, ToolDefinition } from '@sluice/core-tools';
import { meant } from '../file/body.ts';
import { DeploymentError } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { argumentsText } from './call.ts';
import { exitCodes } from './exit-codes.ts';
import { open, type DeploymentOptions } from './open.ts';

/** What would act on a call, in the order of the pipeline. */
export interface Explanation {
  readonly tool: string;
  readonly scope: string;
  readonly arguments?: JsonValue;
  /** Why the call cannot run as it is: then nothing of policy is asked. */
  readonly invalid?: readonly string[];
  readonly closedGates: readonly string[];
  readonly preExecute: readonly string[];
  /** Plugins with guards, and how many. */
  readonly guards: Readonly<Record<string, number>>;
  /** What the permission rules would say, where they are mounted. */
  readonly rules?: { readonly decision: string; readonly why: string; readonly matched: readonly string[] };
  /** Who would be asked, if anybody says ask. Absent: nobody can be, so an ask is a denial. */
  readonly approval?: { readonly answerers: readonly string[] };
  readonly locks?: LockKeys;
  readonly wrappers: readonly string[];
  readonly timeoutMs?: number;
  readonly postExecute: readonly string[];
  readonly annotations?: object;
}

/** Says which rules, guards and wrappers would act on a call. Runs none of them, apart from the rules' own judgement. */
export async function explain(tool: string, argument: string, options: DeploymentOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const given = await argumentsText(argument);
  const { deployment, ctx } = await open(options, io);
  try {
    if (ctx.get('tools') === undefined) throw new DeploymentError([{ message: 'nothing in this deployment provides tools', remedy: 'Add "@sluice/core-tools" to "plugins".' }]);
    const definition = ctx.tools.get(tool);
    if (definition === undefined) throw unknownTool(tool, ctx, deployment.ctx, options.scope);
    const explanation = await explanationOf(definition, given, ctx, deployment.ctx);
    if (options.json === true) io.out(JSON.stringify(explanation, null, 2));
    else print(explanation, io);
    return explanation.invalid === undefined ? exitCodes.ok : exitCodes.usage;
  } finally {
    await deployment.close();
  }
}

function unknownTool(tool: string, ctx: Context, root: Context, scope: string | undefined): DeploymentError {
  const names = ctx.tools.schemas().map(({ name }) => name);
  const isHidden = root.tools.get(tool) !== undefined;
  return new DeploymentError([{
    message: isHidden ? `the tool "${tool}" is hidden from scope "${scope ?? ''}"` : `there is no tool "${tool}"`,
    remedy: isHidden ? 'See "tools" of that scope in the deployment file.' : (meant(tool, names) ?? (names.length === 0 ? 'There are none here.' : `There are ${names.join(', ')}.`)),
  }]);
}

/** What is used of the service of @sluice/permission-rules. */
interface Rules {
  explain?(call: object): { readonly decision: string; readonly why: string; readonly matched?: readonly { readonly text: string }[] };
}

async function explanationOf(definition: ToolDefinition, text: string, ctx: Context, root: Context): Promise<Explanation> {
  const parsed = parseJsonText(text);
  const issues: readonly SchemaIssue[] = parsed.ok ? compileSchema(definition.parameters, { origin: 'foreign', label: `tool "${definition.name}"` }).validate(parsed.value) : [parsed.issue];
  const args = parsed.ok && issues.length === 0 ? parsed.value : undefined;
  const plugins = (hook: 'tools/pre-execute' | 'tools/execute' | 'tools/post-execute'): string[] => ctx.listeners(hook).map(({ plugin }) => plugin);
  // A service of another package, which need not be there.
  const rules = (ctx.get as (name: string) => unknown).call(ctx, 'rules') as Rules | undefined;
  const judged = args === undefined ? undefined : rules?.explain?.({ toolName: definition.name, arguments: args });
  const locks = args === undefined ? undefined : await locksOf(definition, args);
  return {
    tool: definition.name,
    scope: ctx.scopePath.join('/') || 'root',
    ...(args === undefined ? { invalid: issues.map(({ message }) => message) } : { arguments: args }),
    closedGates: ctx.closedGates(),
    preExecute: plugins('tools/pre-execute'),
    guards: guardsOn(ctx, root),
    ...(judged && { rules: { decision: judged.decision, why: judged.why, matched: judged.matched?.map((each) => each.text) ?? [] } }),
    ...(ctx.get('approval') && { approval: { answerers: ctx.listeners('approval/request' as 'tools/call').map(({ plugin }) => plugin) } }),
    ...(locks && { locks }),
    wrappers: plugins('tools/execute'),
    ...(definition.timeoutMs === undefined ? {} : { timeoutMs: definition.timeoutMs }),
    postExecute: plugins('tools/post-execute'),
    ...(definition.annotations && { annotations: definition.annotations }),
  };
}

/** A tool's `locks` is declared to be pure: asking it runs nothing. */
async function locksOf(definition: ToolDefinition, args: JsonValue): Promise<LockKeys | undefined> {
  try {
    return await definition.locks?.(args);
  } catch {
    return undefined;
  }
}

/** Guards of the scopes from the root to this one, by plugin. */
function guardsOn(ctx: Context, root: Context): Record<string, number> {
  const counts: Record<string, number> = {};
  const visit = (node: ContextNode, owner: string): void => {
    const isAbove = node.scopePath.every((name, index) => ctx.scopePath[index] === name);
    if (!isAbove) return;
    const name = node.kind === 'plugin' ? node.name : owner;
    const guards = node.contributions.filter((label) => label.startsWith('guard')).length;
    if (guards > 0) counts[name] = (counts[name] ?? 0) + guards;
    for (const child of node.children) visit(child, name);
  };
  visit(root.inspect(), 'app');
  return counts;
}

function print(explanation: Explanation, { out, paint }: Io): void {
  const { tool, scope, invalid, closedGates, preExecute, guards, rules, approval, locks, wrappers, timeoutMs, postExecute } = explanation;
  const row = (stage: string, text: string): void => { out(`  ${stage.padEnd(14)} ${text}`); };
  const list = (names: readonly string[]): string => (names.length === 0 ? paint.dim('none') : names.join(' > '));
  out(`${paint.bold(tool)} in ${scope}, stage by stage; nothing was run`);
  row('arguments', invalid === undefined ? paint.green('valid') : `${paint.red('INVALID_ARGS')}: ${invalid.join('; ')}`);
  if (invalid !== undefined) {
    row('', paint.dim('the call ends here: no policy is asked'));
    return;
  }
  row('gates', closedGates.length === 0 ? paint.dim('all open') : paint.red(`closed: ${closedGates.join(', ')}: every call is denied`));
  row('pre-execute', list(preExecute));
  row('guards', list(Object.entries(guards).map(([name, n]) => (n === 1 ? name : `${name} (${n})`))));
  if (rules !== undefined) {
    const colored = rules.decision === 'allow' ? paint.green(rules.decision) : rules.decision === 'ask' ? paint.yellow(rules.decision) : paint.red(rules.decision);
    row('rules', `${colored}: ${rules.why}`);
    for (const text of rules.matched) row('', paint.dim(text));
  }
  row('approval', approval === undefined ? 'no service: a question is a denial' : approval.answerers.length === 0 ? 'nobody answers: a question is a denial' : `asks ${list(approval.answerers)}`);
  if (locks !== undefined) row('locks', [...(locks.read ?? []).map((key) => `reads ${key}`), ...(locks.write ?? []).map((key) => `writes ${key}`)].join(', ') || paint.dim('none'));
  row('around it', list(wrappers));
  if (timeoutMs !== undefined) row('timeout', `${timeoutMs} ms${wrappers.includes('tool-call-timeout-policy') ? '' : ' declared, and nothing here enforces it'}`);
  row('post-execute', list(postExecute));
}
