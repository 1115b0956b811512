import { aTool } from '@sluice/testing';
import { canonicalJson, createContext, tools, type Context, type JsonValue } from '@sluice/core-tools';
import fc from 'fast-check';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeRule, permissionRules, type Condition, type Decision, type Rule } from '../src/index.ts';
import { aRulesHost } from './support.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const word = fc.constantFrom('git', 'status', 'log', 'rm', '-rf', 'x', 'curl', 'a/b.ts', '--all');
const glue = fc.constantFrom(' ', '  ', ';', '; ', ' && ', ' | ', '\n', ' & ', '$(', ')', '`', '${X}', ' > ', '"', "'", '\\', '\t', '\0', '\u200b', '%20', '=', '*', '#', '{', '}', '\u00a0', '<(', '!', '~', 'о', 'ｘ');
const command = fc.array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: glue }), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
const spacedCommand = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));

describe('order', () => {
  /** What others may mount: none of it may turn a deny or an unanswered ask into a run. */
  const others: Record<string, (ctx: Context) => unknown> = {
    'a listener that allows without asking further in': (ctx) => ctx.on('tools/pre-execute', () => ({ kind: 'allow' })),
    'the same, before all': (ctx) => ctx.on('tools/pre-execute', () => ({ kind: 'allow' }), { prepend: true }),
    'a listener that swallows what comes from further in': (ctx) => ctx.on('tools/pre-execute', async (_exec, next) => (await next(), { kind: 'allow' })),
    'a guard that has nothing to say': (ctx) => ctx.tools.guard(() => undefined),
    'a guard that asks': (ctx) => ctx.tools.guard(() => ({ ask: 'really?' })),
    'a wrapper that goes in twice': (ctx) => ctx.on('tools/execute', async (_exec, next) => (await next(), next())),
    'a post listener that accepts': (ctx) => ctx.on('tools/post-execute', () => ({ kind: 'accept' })),
    'an observer that throws': (ctx) => ctx.on('tools/call', () => { throw new Error('observer'); }),
    'rules that allow everything': (ctx) => ctx.scope('unrelated').plugin(permissionRules, { rules: [{ tool: '*', decision: 'allow' }] }),
  };
  const names = Object.keys(others);

  it('of plugins and listeners undoes no deny and no ask of a rule', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...names, 'the rules'], { minLength: 1 }).filter((order) => order.includes('the rules')),
        fc.shuffledSubarray<Rule>([{ tool: '*', decision: 'allow' }, { tool: 'b*', decision: 'allow' }, { tool: 'bash', when: { command: { startsWithWord: 'git' } }, decision: 'allow' }]),
        fc.constantFrom<Decision>('ask', 'deny'), fc.nat(3), fc.boolean(),
        async (order, allows, decision, at, remembers) => {
          const ctx = createContext({ logger: silent });
          let ran = 0;
          ctx.plugin(tools);
          ctx.tools.register(aTool({ name: 'bash', execute: () => (ran += 1) }));
          const rules = [...allows.slice(0, at), { tool: 'bash', decision }, ...allows.slice(at)];
          for (const name of order) {
            if (name === 'the rules') ctx.plugin(permissionRules, { rules });
            else others[name]?.(ctx);
          }
          if (remembers) await ctx.rules.remember({ tool: '*', decision: 'allow', remember: 'session' });
          const result = await ctx.tools.execute({ name: 'bash', arguments: { command: 'git log' } });
          await ctx.dispose();
          expect(ran).toBe(0);
          expect(result).toMatchObject({ isError: true, error: { info: { code: decision === 'deny' ? 'DENIED' : 'APPROVAL_UNAVAILABLE' } } });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of rules changes no decision', async () => {
    await using host = aRulesHost();
    await host.rules.dispose();
    const rule = fc.record({ tool: fc.constantFrom('*', 'bash', 'read'), decision: fc.constantFrom<Decision>('allow', 'ask', 'deny') });
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 5 }).chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length }))), async ([rules, shuffled]) => {
        const decided: Decision[] = [];
        for (const order of [rules, shuffled]) {
          const handle = host.ctx.plugin(permissionRules, { rules: order });
          decided.push(host.ctx.rules.decide({ toolName: 'bash' }));
          await handle.dispose();
        }
        expect(decided[1]).toBe(decided[0]);
        const said = rules.filter(({ tool }) => tool !== 'read').map(({ decision }) => decision);
        expect(decided[0]).toBe((['deny', 'ask', 'allow'] as const).find((decision) => said.includes(decision)) ?? 'ask');
      }),
      { numRuns: 60 },
    );
  });
});

describe('a remembered rule never allows a call that differs from what its text says', () => {
  const args = fc.dictionary(fc.constantFrom('command', 'path', 'cwd', '__proto__', 'constructor'), fc.oneof(command, fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)), { maxKeys: 3 });

  it('exact rules: these arguments and no others', async () => {
    await using host = aRulesHost();
    const { rules } = host.ctx;
    await fc.assert(
      fc.asyncProperty(args, args, fc.constantFrom('bash', 'bash2', 'Bash'), async (agreed, later, tool) => {
        const same = tool === 'bash' && canonicalJson(agreed as JsonValue) === canonicalJson(later as JsonValue);
        const { id, text } = await rules.remember(rules.ruleFor({ toolName: 'bash', arguments: agreed as JsonValue }));
        expect(rules.decide({ toolName: tool, arguments: later }) === 'allow').toBe(same);
        expect(rules.decide({ toolName: 'bash', arguments: agreed })).toBe('allow');
        // A reader can get the arguments back from the text.
        expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual(JSON.parse(canonicalJson(agreed as JsonValue)));
        expect(text).toMatch(/^[^\p{C}\u00a0\u200b]*$/u);
        await rules.revoke(id);
        expect(rules.decide({ toolName: 'bash', arguments: agreed })).toBe('ask');
      }),
      { numRuns: 300 },
    );
  });

  it('prefixes: one simple command that begins with exactly these words', async () => {
    await using host = aRulesHost();
    const { rules } = host.ctx;
    await fc.assert(
      fc.asyncProperty(spacedCommand, fc.oneof(command, fc.tuple(spacedCommand, command).map((parts) => parts.join('')), fc.string({ unit: 'binary' })), async (prefix, later) => {
        const { id } = await rules.remember({ tool: 'bash', when: { command: { startsWithWord: prefix } }, decision: 'allow', remember: 'session' });
        const tried = [later, `${prefix} ${later}`, `${prefix}${later}`];
        const allowed = tried.filter((each) => rules.decide({ toolName: 'bash', arguments: { command: each } }) === 'allow');
        for (const each of allowed) {
          expect(`${each} `.startsWith(`${prefix} `), each).toBe(true);
          expect(each).toMatch(/^[\w./@:,+=\- "']+$/);
        }
        expect(rules.decide({ toolName: 'bash', arguments: { command: prefix } })).toBe('allow');
        await rules.revoke(id);
      }),
      { numRuns: 500 },
    );
  });

  it('paths: inside the directory, whatever the path says on the way', async () => {
    await using host = aRulesHost();
    const { rules } = host.ctx;
    await rules.remember({ tool: 'write', when: { path: { path: 'docs/**' } }, decision: 'allow', remember: 'session' });
    const part = fc.constantFrom('docs', 'src', '..', '.', '', 'a', 'work', '%2e%2e', '..%2f', '\\', '..\\', ' ', 'docs.', '\0', '.. ', 'DOCS', '…', '\u202e', 'ｄocs', '~', 'C:', '.git');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom('', '/', './', '/work/', 'docs/'), (parts, start) => {
        const path = start + parts.join('/');
        if (rules.decide({ toolName: 'write', arguments: { path } }) !== 'allow') return;
        expect(`${posix.resolve('/work', path)}/`).toMatch(/^\/work\/docs\//);
        expect(path).not.toMatch(/\.\.|%|\\|[^\x20-\x7e]|\/\.\w/);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('no spelling escapes a deny', () => {
  /** Ways to write the same that some reader undoes. */
  const spell: Record<string, (text: string) => string> = {
    'upper case': (text) => text.toUpperCase(),
    'percent-encoding': (text) => text.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    'percent-encoded percent signs': (text) => text.replaceAll('%', '%25'),
    'full width': (text) => text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    'zero width': (text) => text.replace(/[^]/gu, '$&\u200b'),
    'Cyrillic': (text) => text.replace(/[aeocp]/g, (letter) => 'аеоср'['aeocp'.indexOf(letter)] as string),
    'NUL at the end': (text) => `${text}\0`,
    'spaces at the end': (text) => `${text}  `,
    'nothing': (text) => text,
  };
  const spellings = fc.array(fc.constantFrom(...Object.keys(spell)), { maxLength: 3 });
  const spelled = (text: string, names: readonly string[]): string => names.reduce((current, name) => (spell[name] as (text: string) => string)(current), text);

  it.each<[string, Condition, (text: string) => string]>([
    ['equals', { equals: 'secrets/place' }, () => 'secrets/place'],
    ['oneOf', { oneOf: [1, 'secrets/place'] }, () => 'secrets/place'],
    ['path', { path: 'secrets/**' }, (file) => `secrets/${file}`],
    ['matches', { matches: 'secret|SECRET' }, (file) => `a secrets ${file}`],
    ['startsWithWord', { startsWithWord: 'place secrets' }, (file) => `echo ${file}; place secrets`],
  ])('%s', async (_kind, condition, text) => {
    await using host = aRulesHost({ rules: [{ tool: '*', decision: 'allow' }, { tool: 'read', when: { x: condition }, decision: 'deny' }] });
    fc.assert(
      fc.property(spellings, fc.constantFrom('a', 'b.txt', 'c/d'), (names, file) => {
        const value = spelled(text(file), names);
        expect(host.ctx.rules.decide({ toolName: 'read', arguments: { x: value } }), JSON.stringify(value)).toBe('deny');
      }),
      { numRuns: 400 },
    );
  });

  it('commands in every kind of wrapping', async () => {
    await using host = aRulesHost({ rules: [{ tool: '*', decision: 'allow' }, { tool: 'bash', when: { command: { startsWithWord: 'rm -rf' } }, decision: 'deny' }] });
    const wrap = fc.constantFrom<(inner: string) => string>(
      (c) => `(${c})`, (c) => `true; ${c}`, (c) => `${c} | cat`, (c) => `sudo ${c}`, (c) => `bash -c "${c}"`, (c) => `echo $(${c})`, (c) => `A=1 ${c}`, (c) => `echo a\n${c}`, (c) => `! ${c}`,
      (c) => `>x ${c}`, (c) => `xargs ${c}`, (c) => `{ ${c}; }`, (c) => `a&&${c}`, (c) => `if true; then ${c}; fi`, (c) => `eval '${c}'`, (c) => `${c} &`, (c) => `  ${c}`, (c) => `env -i B=2 ${c}`,
    );
    fc.assert(
      fc.property(fc.array(wrap, { maxLength: 4 }), fc.constantFrom<string>('rm -rf x', '/bin/rm -rf x', '\\rm -rf x', 'RM -rf x', 'r""m -rf x', "'rm' -rf", 'rm x -rf', 'rm $ARGS'), (wraps, command) => {
        const line = wraps.reduce((inner, wrapped) => wrapped(inner), command);
        expect(host.ctx.rules.decide({ toolName: 'bash', arguments: { command: line } }), line).toBe('deny');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('words', () => {
  it('are never the same for two rules that differ', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('a', '\\u0000', '\0', '\u202e', 'a" and argument "b'));
    const condition = fc.oneof(fc.record({ equals: fc.oneof(text, fc.integer()) }), fc.record({ oneOf: fc.array(text, { minLength: 1, maxLength: 2 }) }), fc.record({ path: text }), fc.record({ startsWithWord: text }), fc.record({ matches: text }));
    const rule = fc.record<Rule>({ tool: fc.constantFrom('a', 'b'), decision: fc.constantFrom<Decision>('allow', 'deny', 'ask'), when: fc.dictionary(text, condition, { minKeys: 1, maxKeys: 2 }) });
    fc.assert(
      fc.property(rule, rule, (a, b) => {
        const isSame = canonicalJson(a) === canonicalJson(b);
        if (!isSame) expect(describeRule(a)).not.toBe(describeRule({ ...b, when: b.when ?? {} }));
        expect(describeRule(a)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 1_000 },
    );
  });
});
