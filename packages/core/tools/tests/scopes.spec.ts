import { aTool } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definePlugin, isSluiceError, namePattern, type Context, type Disposer, type Restriction } from '../src/index.ts';
import { codeOf, setup, textOf, withBed } from './support.ts';

/** Registers tools that answer with `<name>@<from>`, so that a test sees which of several ran. */
function add(ctx: Context, from: string, ...names: string[]): Disposer[] {
  return names.map((name) => ctx.tools.register(aTool({ name, execute: () => `${name}@${from}` })));
}

function listed(ctx: Context): string[] {
  return ctx.tools.schemas().map((schema) => schema.name);
}

/** What a call by this name comes to: the value, or the code. */
async function run(ctx: Context, name: string): Promise<unknown> {
  const result = await ctx.tools.execute({ name });
  return result.isError ? result.error.info.code : result.value;
}

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a throw');
}

describe('a scope', () => {
  it('sees its own tools and those above it, and nobody beside or above sees its own [F60 F62]', async () => {
    const { ctx } = setup();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    const other = ctx.scope('other');
    add(ctx, 'root', 'read');
    add(planner, 'planner', 'plan');
    add(helper, 'helper', 'help');
    expect([ctx, planner, helper, other].map(listed)).toEqual([['read'], ['read', 'plan'], ['read', 'plan', 'help'], ['read']]);
    expect(await run(helper, 'read')).toBe('read@root');
    expect(await run(helper, 'plan')).toBe('plan@planner');
    expect(await run(planner, 'help')).toBe('UNKNOWN_TOOL');
    expect(await run(other, 'plan')).toBe('UNKNOWN_TOOL');
    expect(await run(ctx, 'help')).toBe('UNKNOWN_TOOL');
  });

  it('is what a plugin mounted in it registers into, and its tools go with the plugin [F60 F305]', async () => {
    const { ctx } = setup();
    const planner = ctx.scope('planner');
    const handle = planner.plugin(definePlugin({ name: 'plans', inject: ['tools'], apply: (own) => void add(own, 'plugin', 'plan') }));
    expect(listed(planner)).toEqual(['plan']);
    expect(listed(ctx)).toEqual([]);
    await handle.dispose();
    expect(listed(planner)).toEqual([]);
  });

  it('shadows a tool above it, in either order of registration, and gives it back [F11 F62]', async () => {
    const { ctx } = setup();
    const early = ctx.scope('early');
    const late = ctx.scope('late');
    const inner = late.scope('inner');
    add(early, 'early', 'x');
    add(ctx, 'root', 'x');
    const [off] = add(late, 'late', 'x');
    expect(await Promise.all([ctx, early, late, inner].map((each) => run(each, 'x')))).toEqual(['x@root', 'x@early', 'x@late', 'x@late']);
    add(inner, 'inner', 'x');
    expect(await run(inner, 'x')).toBe('x@inner');
    off?.();
    expect(await run(late, 'x')).toBe('x@root');
    expect(await run(inner, 'x')).toBe('x@inner');
  });

  it('is one context and not a name: the same name under two parents, or anew after disposal, shares nothing [F61 F305]', async () => {
    const { ctx } = setup();
    const a = ctx.scope('a').scope('worker');
    const b = ctx.scope('b').scope('worker');
    add(a, 'a', 'x');
    a.tools.guard(() => 'no');
    expect(await run(b, 'x')).toBe('UNKNOWN_TOOL');
    add(b, 'b', 'x');
    expect(await run(a, 'x')).toBe('DENIED');
    expect(await run(b, 'x')).toBe('x@b');

    add(ctx, 'root', 'y');
    const first = ctx.scope('again');
    add(first, 'first', 'x', 'z');
    first.tools.restrict({ deny: ['y'] });
    await first.dispose();
    const second = ctx.scope('again');
    expect(listed(second)).toEqual(['y']);
    expect(await run(second, 'y')).toBe('y@root');
  });

  it('answers for a hidden tool exactly as for one that never was [F63 F74]', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    const bare = ctx.scope('bare');
    add(ctx, 'root', 'shell', 'secret_plan');
    agent.tools.restrict({ deny: ['shell', 'secret_plan'] });
    const hidden = await agent.tools.execute({ name: 'shell', callId: 'c' });
    const absent = await bare.tools.execute({ name: 'shelf', callId: 'c' });
    expect(codeOf(hidden)).toBe('UNKNOWN_TOOL');
    expect(textOf(hidden).replace('shell', 'shelf')).toBe('Error: unknown tool "shelf"\nUse one of the tools you were given.');
    // The scope that may see it is helped; the one that may not is not told of it.
    expect(textOf(absent)).toContain('Did you mean "shell"?');
    const near = await agent.tools.execute({ name: 'secret_plann' });
    expect(textOf(near)).not.toContain('"secret_plan"');
    expect(agent.tools.get('shell')).toBeUndefined();
    expect(agent.tools.executionMode({ name: 'shell', arguments: {} })).toBe('exclusive');
    expect(agent.tools.present({ name: 'shell', arguments: { a: 1 } })).toEqual({ card: 'generic', title: 'shell', rawInput: { a: 1 } });
    const facts: unknown[] = [];
    agent.on('tools/call', (exec) => { facts.push(exec.tool); });
    await agent.tools.execute({ name: 'shell' });
    expect(facts).toEqual([undefined]);
    expect(codeOf((await agent.tools.executeAll([{ name: 'shell' }]))[0]!)).toBe('UNKNOWN_TOOL');
  });

  it('lists inherited tools in order of registration, a shadow in the place of what it hides, and its own last [F76]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(agent, 'agent', 'own', 'b');
    add(ctx, 'root', 'c', 'b', 'a');
    expect(listed(ctx)).toEqual(['c', 'b', 'a']);
    expect(listed(agent)).toEqual(['c', 'b', 'a', 'own']);
    const lift = agent.tools.restrict({ deny: ['b'] });
    // What it shadows is not admitted, so its place is its own.
    expect(listed(agent)).toEqual(['c', 'a', 'own', 'b']);
    lift();
    expect(listed(agent)).toEqual(['c', 'b', 'a', 'own']);
  });

  it('keeps its tools out of reads: asking changes nothing anywhere [F78]', async () => {
    const { ctx } = setup();
    add(ctx, 'root', 'x');
    const agent = ctx.scope('agent');
    const before = ctx.inspect();
    agent.tools.schemas();
    agent.tools.get('nothing');
    agent.tools.present({ name: 'nothing' });
    agent.tools.executionMode({ name: 'nothing' });
    await run(agent, 'nothing');
    expect(ctx.inspect()).toEqual(before);
  });
});

describe('a restriction', () => {
  it('is for scopes only: at the root it throws, before anything else is looked at [F64 F67]', () => {
    const { ctx } = setup();
    add(ctx, 'root', 'x');
    expect(() => ctx.tools.restrict({ deny: ['x'] })).toThrow(/restrict\(\) is for a scope/);
    expect(() => ctx.tools.restrict({ deny: ['nobody'] })).toThrow(/restrict\(\) is for a scope/);
    expect(() => ctx.tools.restrict({})).toThrow(/restrict\(\) is for a scope/);
    const handle = ctx.plugin(definePlugin({ name: 'p', apply: (own) => own.tools.restrict({ deny: ['x'] }) }));
    expect(handle.status).toBe('failed');
  });

  it('needs allow or deny; an empty allow list is one, and hides everything inherited [F65]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(ctx, 'root', 'x', 'y');
    add(agent, 'agent', 'own');
    const error = thrownBy(() => agent.tools.restrict({}));
    expect(isSluiceError(error) && error.code).toBe('INVALID_RESTRICTION');
    expect(error.message).toContain('needs allow or deny');
    agent.tools.restrict({ deny: [] });
    expect(listed(agent)).toEqual(['x', 'y', 'own']);
    agent.tools.restrict({ allow: [] });
    expect(listed(agent)).toEqual(['own']);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a name', 'x'],
    ['a name as allow', { allow: 'x' }],
    ['a set as deny', { deny: new Set(['x']) }],
    ['a number in a list', { deny: ['x', 1] }],
    ['an empty name', { allow: [''] }],
    ['null as deny', { deny: null }],
  ])('of the wrong shape is a TypeError: %s', (_what, restriction) => {
    const { ctx } = setup();
    add(ctx, 'root', 'x');
    const agent = ctx.scope('agent');
    expect(() => agent.tools.restrict(restriction as Restriction)).toThrow(TypeError);
    expect(listed(agent)).toEqual(['x']);
  });

  it('cannot name the transport of code mode [F66 F67]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    for (const restriction of [{ deny: ['run_code'] }, { allow: ['nobody', 'run_code'] }]) {
      const error = thrownBy(() => agent.tools.restrict(restriction));
      expect(isSluiceError(error) && error.code).toBe('INVALID_RESTRICTION');
      expect(error.message).toMatch(/"run_code" is the transport of code mode/);
    }
  });

  it('that names what its scope does not inherit throws, with what it does inherit and what was probably meant [F66]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    expect(() => agent.tools.restrict({ deny: ['x'] })).toThrow(/"x".*\(inherited: \(none\)\)/);
    add(ctx, 'root', 'write_file', 'read_file');
    add(agent, 'agent', 'own');
    add(ctx.scope('other'), 'other', 'elsewhere');
    const error = thrownBy(() => agent.tools.restrict({ allow: ['read_file', 'read_fle'], deny: ['own', 'elsewhere', 'read_file'] }));
    expect(isSluiceError(error) && error.code).toBe('INVALID_RESTRICTION');
    expect(error.message).toContain('"read_fle", "own", "elsewhere"');
    expect(error.message).toContain('did you mean read_file?');
    expect(error.message).toContain('(inherited: read_file, write_file)');
    expect(listed(agent)).toEqual(['write_file', 'read_file', 'own']);
  });

  it('may hold patterns, which may match nothing, now or ever', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(ctx, 'root', 'fs_read', 'fs_write', 'net_get');
    const lift = agent.tools.restrict({ allow: ['fs_*', 'zzz*'], deny: ['*_write', '*nothing*'] });
    expect(listed(agent)).toEqual(['fs_read']);
    expect(await run(agent, 'fs_write')).toBe('UNKNOWN_TOOL');
    lift();
    agent.tools.restrict({ deny: ['*'] });
    expect(listed(agent)).toEqual([]);
  });

  it('is copied when it is made [F68]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(ctx, 'root', 'a', 'b');
    const deny = ['a'];
    const allow = ['a', 'b'];
    agent.tools.restrict({ allow, deny });
    deny[0] = 'b';
    allow.length = 0;
    expect(listed(agent)).toEqual(['b']);
  });

  it('filters what a scope inherits and never what it registers itself, shadows included [F69 F73]', async () => {
    const { ctx } = setup();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    add(ctx, 'root', 'x', 'y');
    add(planner, 'planner', 'plan', 'x');
    planner.tools.restrict({ deny: ['x', 'y'] });
    expect(listed(planner)).toEqual(['plan', 'x']);
    expect(await run(planner, 'x')).toBe('x@planner');
    helper.tools.restrict({ deny: ['plan'] });
    expect(listed(helper)).toEqual(['x']);
    add(helper, 'helper', 'plan');
    expect(await run(helper, 'plan')).toBe('plan@helper');
  });

  it('intersects with the others of its scope, and each is lifted on its own [F70]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(ctx, 'root', 'a', 'b', 'c', 'd');
    const first = agent.tools.restrict({ allow: ['a', 'b', 'c'] });
    // A name that the first hides is still inherited, so the second may name it.
    const second = agent.tools.restrict({ allow: ['b', 'c', 'd'] });
    const third = agent.tools.restrict({ deny: ['c'] });
    expect(listed(agent)).toEqual(['b']);
    second();
    expect(listed(agent)).toEqual(['a', 'b']);
    second();
    expect(listed(agent)).toEqual(['a', 'b']);
    third();
    expect(listed(agent)).toEqual(['a', 'b', 'c']);
    first();
    expect(listed(agent)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reaches every scope below, for what they inherit, however they are restricted themselves [F71]', async () => {
    const { ctx } = setup();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper').scope('inner');
    add(ctx, 'root', 'shell', 'read');
    const lift = planner.tools.restrict({ deny: ['shell'] });
    expect(listed(helper)).toEqual(['read']);
    expect(await run(helper, 'shell')).toBe('UNKNOWN_TOOL');
    expect(() => helper.tools.restrict({ allow: ['shell'] })).toThrow(/does not inherit/);
    helper.tools.restrict({ allow: ['*'] });
    expect(listed(helper)).toEqual(['read']);
    expect(listed(ctx.scope('free'))).toEqual(['shell', 'read']);
    lift();
    expect(listed(helper)).toEqual(['shell', 'read']);
  });

  it('is live: what comes later is admitted by a deny list and not by an allow list [F72]', async () => {
    const { ctx } = setup();
    const denies = ctx.scope('denies');
    const allows = ctx.scope('allows');
    const [off] = add(ctx, 'root', 'a', 'b');
    denies.tools.restrict({ deny: ['a', 'x_*'] });
    allows.tools.restrict({ allow: ['a', 'x_*'] });
    add(ctx, 'root', 'later', 'x_later');
    expect(listed(denies)).toEqual(['b', 'later']);
    expect(listed(allows)).toEqual(['a', 'x_later']);
    // A named tool that goes away and comes back is the same to the rule.
    off?.();
    add(ctx, 'again', 'a');
    expect(await run(denies, 'a')).toBe('UNKNOWN_TOOL');
    expect(await run(allows, 'a')).toBe('a@again');
  });

  it('says what is seen, not what is allowed: a child may have a tool that its parent does not see [F75]', async () => {
    const { ctx } = setup();
    const parent = ctx.scope('parent');
    const child = parent.scope('child');
    add(ctx, 'root', 'shell');
    parent.tools.restrict({ deny: ['shell'] });
    child.tools.register(aTool({ name: 'shell', execute: () => 'its own' }));
    expect(await run(parent, 'shell')).toBe('UNKNOWN_TOOL');
    expect(await run(child, 'shell')).toBe('its own');
  });

  it('that falls while a call is decided hides the tool before its body is entered', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(ctx, 'root', 'shell');
    agent.on('tools/pre-execute', (_exec, next) => {
      agent.tools.restrict({ deny: ['shell'] });
      return next();
    });
    const result = await agent.tools.execute({ name: 'shell' });
    expect(codeOf(result)).toBe('UNKNOWN_TOOL');
    expect(result.isError && result.error.info.started).toBe(false);
  });
});

describe('the context that is called on', () => {
  it('is the scope: the call says where it was made, and nested calls stay there', async () => {
    const { ctx } = setup();
    const helper = ctx.scope('planner').scope('helper');
    add(ctx, 'root', 'x');
    add(helper, 'helper', 'x');
    ctx.tools.register(aTool({ name: 'who', execute: async (_args, exec) => {
      const inner = await exec.execute({ name: 'x' });
      return inner.isError ? 'failed' : inner.value;
    } }));
    const paths: string[] = [];
    ctx.on('tools/call', (exec) => { paths.push(`${exec.name}:${exec.scopePath.join('/')}`); });
    expect(await run(helper, 'who')).toBe('x@helper');
    expect(await run(ctx, 'who')).toBe('x@root');
    expect(paths).toEqual(['who:planner/helper', 'x:planner/helper', 'who:', 'x:']);
  });

  it('takes no scope or parent from the input: what is there beside the known members is not read', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(agent, 'agent', 'secret');
    const sneaky = { name: 'secret', scope: agent, scopePath: ['agent'], agent: 'agent', parent: 'x', parentCallId: 'p', rootCallId: 'r' };
    const seen: unknown[] = [];
    ctx.on('tools/call', (exec) => { seen.push([exec.scopePath, exec.parentCallId, exec.rootCallId === exec.callId]); });
    expect(codeOf(await ctx.tools.execute(sneaky))).toBe('UNKNOWN_TOOL');
    expect(seen).toEqual([[[], undefined, true]]);
  });
});

const names = ['a', 'b', 'ab', 'abc', 'b_c', 'a-b'];
const patterns = ['*', 'a*', '*b', 'a*b', '*b*', 'a**b', '*-*', 'z*', 'ab*c', '*_*c'];

/** The meaning of a pattern, told another way. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*');
  return new RegExp(`^${source}$`).test(name);
}

interface ModelScope {
  readonly parent: ModelScope | undefined;
  readonly tools: string[];
  readonly rules: Restriction[];
}

/** Inherited names that every rule admits, in their order; then the scope's own that are not among them. */
function view(scope: ModelScope | undefined): string[] {
  if (scope === undefined) return [];
  const admits = ({ allow, deny = [] }: Restriction, name: string): boolean =>
    (allow === undefined || allow.some((each) => matches(each, name))) && !deny.some((each) => matches(each, name));
  const inherited = view(scope.parent).filter((name) => scope.rules.every((rule) => admits(rule, name)));
  return [...inherited, ...scope.tools.filter((name) => !inherited.includes(name))];
}

/** The nearest scope whose own tool a visible name is. */
function ownerOf(scope: ModelScope, name: string): ModelScope {
  return scope.tools.includes(name) || scope.parent === undefined ? scope : ownerOf(scope.parent, name);
}

describe('visibility', () => {
  it('agrees with a simple model, whatever is registered, restricted and taken back, in whatever order and depth [F62 F69 F70 F71 F72 F76]', async () => {
    const entries = fc.array(fc.constantFrom(...names, ...patterns), { maxLength: 3 });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), at: fc.nat(3), name: fc.constantFrom(...names) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('restrict' as const), at: fc.nat(3), allow: fc.option(entries), deny: fc.option(entries) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), which: fc.nat() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await withBed(async ({ ctx }) => {
          const contexts = [ctx];
          for (const name of ['one', 'two', 'three']) contexts.push(contexts[contexts.length - 1]!.scope(name));
          const model: ModelScope[] = [];
          while (model.length < contexts.length) model.push({ parent: model[model.length - 1], tools: [], rules: [] });
          const undos: (() => void)[] = [];

          for (const each of steps) {
            if (each.do === 'undo') {
              undos.splice(each.which % Math.max(1, undos.length), 1)[0]?.();
              continue;
            }
            const scope = model[each.at]!;
            const real = contexts[each.at]!;
            if (each.do === 'add') {
              if (scope.tools.includes(each.name)) {
                expect(() => add(real, String(each.at), each.name)).toThrow(/already registered/);
                continue;
              }
              const [off] = add(real, String(each.at), each.name);
              scope.tools.push(each.name);
              undos.push(() => {
                off?.();
                scope.tools.splice(scope.tools.indexOf(each.name), 1);
              });
            } else {
              const rule: Restriction = { ...(each.allow === null ? {} : { allow: each.allow }), ...(each.deny === null ? {} : { deny: each.deny }) };
              const known = view(scope.parent);
              const exact = [...(rule.allow ?? []), ...(rule.deny ?? [])].filter((name) => !name.includes('*'));
              const isWrong = each.at === 0 || Object.keys(rule).length === 0 || exact.some((name) => !known.includes(name));
              if (isWrong) {
                expect(() => real.tools.restrict(rule)).toThrow();
                continue;
              }
              const lift = real.tools.restrict(rule);
              scope.rules.push(rule);
              undos.push(() => {
                lift();
                scope.rules.splice(scope.rules.indexOf(rule), 1);
              });
            }

            const expected = model.map(view);
            expect(contexts.map(listed)).toEqual(expected);
            const found = contexts.map((there) => names.filter((name) => there.tools.get(name) !== undefined));
            expect(found).toEqual(expected.map((visible) => names.filter((name) => visible.includes(name))));
          }

          for (const [i, scope] of model.entries()) {
            const visible = view(scope);
            const expected = names.map((name) => (visible.includes(name) ? `${name}@${model.indexOf(ownerOf(scope, name))}` : 'UNKNOWN_TOOL'));
            expect(await Promise.all(names.map((name) => run(contexts[i]!, name)))).toEqual(expected);
          }
        });
      }),
      { numRuns: 100 },
    );
  }, 30_000);

  it('reads a pattern as any run of characters for each star and itself for the rest', () => {
    const text = fc.stringMatching(/^[a-c*.+]{0,8}$/);
    fc.assert(
      fc.property(text, fc.stringMatching(/^[a-c.+]{0,10}$/), (pattern, name) => {
        expect(namePattern(pattern)(name)).toBe(matches(pattern, name));
      }),
      { numRuns: 2_000, examples: [['a*a', 'a'], ['*a*a*', 'aa'], ['a*ab*b', 'aab'], ['**', ''], ['', '']] },
    );
  });

  it('takes a hostile pattern and a long name in no time', () => {
    const started = performance.now();
    expect(namePattern(`${'a*'.repeat(2_000)}b`)('a'.repeat(20_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('cases from the field', () => {
  it('object members as tool names are unknown tools, also to the scheduler and to restrictions; the real tool still works [H061]', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    add(ctx, 'root', 'read');
    const asked = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];
    const results = await ctx.tools.executeAll([...asked, 'read'].map((name) => ({ name, arguments: { a: 1 } })));
    expect(results.map(codeOf)).toEqual([...asked.map(() => 'UNKNOWN_TOOL'), 'ok']);
    for (const name of asked) {
      expect(await run(agent, name)).toBe('UNKNOWN_TOOL');
      expect(ctx.tools.get(name)).toBeUndefined();
      expect(ctx.tools.executionMode({ name, arguments: {} })).toBe('exclusive');
      expect(ctx.tools.present({ name, arguments: {} })).toEqual({ card: 'generic', title: name, rawInput: {} });
      expect(() => agent.tools.restrict({ deny: [name] })).toThrow(/does not inherit/);
      expect(() => agent.tools.restrict({ allow: [name] })).toThrow(/does not inherit/);
    }
    expect(Reflect.ownKeys({})).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('a tool taken from an agent fails at execution, for it and its children and in batches; the other agent still has it [H075]', async () => {
    const { ctx } = setup();
    const bodies: string[] = [];
    for (const name of ['write', 'read']) ctx.tools.register(aTool({ name, execute: () => { bodies.push(name); return { ok: true }; } }));
    const scout = ctx.scope('scout');
    scout.tools.restrict({ allow: ['read'] });
    const child = scout.scope('scout-child');
    const main = ctx.scope('main');
    scout.tools.register(aTool({ name: 'sneak', execute: async (_args, exec) => (await exec.execute({ name: 'write' })).isError }));

    expect(await run(scout, 'write')).toBe('UNKNOWN_TOOL');
    expect(await run(child, 'write')).toBe('UNKNOWN_TOOL');
    expect((await scout.tools.executeAll([{ name: 'write' }])).map(codeOf)).toEqual(['UNKNOWN_TOOL']);
    expect(await run(child, 'sneak')).toBe(true);
    expect(codeOf(await scout.tools.execute({ name: 'run_code', arguments: { program: 'return await tools.write({})' } }))).toBe('UNKNOWN_TOOL');
    expect(bodies).toEqual([]);
    expect(codeOf(await scout.tools.execute({ name: 'read' }))).toBe('ok');
    expect(codeOf(await main.tools.execute({ name: 'write' }))).toBe('ok');
    expect(bodies).toEqual(['read', 'write']);
    expect(listed(scout)).toEqual(['read', 'sneak']);
    expect(listed(main)).toEqual(['write', 'read']);
  });

  it('a second tool of a name throws and the first stays; a scoped one shadows until it goes; an old handle removes nothing newer [H143]', async () => {
    const { ctx } = setup();
    const a = ctx.scope('agent-a');
    const b = ctx.scope('agent-b');
    const [h1] = add(ctx, 'first', 'x');
    expect(() => add(ctx, 'usurper', 'x')).toThrow(/already registered/);
    expect(await run(ctx, 'x')).toBe('x@first');
    const [h2] = add(a, 'second', 'x');
    expect(await run(a, 'x')).toBe('x@second');
    expect(await run(b, 'x')).toBe('x@first');
    h2?.();
    expect(await run(a, 'x')).toBe('x@first');
    h1?.();
    const [h3] = add(ctx, 'third', 'x');
    h1?.();
    h2?.();
    expect(await run(ctx, 'x')).toBe('x@third');
    h3?.();
    expect(await run(ctx, 'x')).toBe('UNKNOWN_TOOL');
  });
});
