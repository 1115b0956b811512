import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createContext, tools, type Context, type JsonValue, type ToolExecutionResult } from '@sluice/core-tools';
import { todosOf, toolTodo, type TodosWritten } from '../src/index.ts';

function bed(allowParallelInProgress = false): Context {
  const ctx = createContext();
  ctx.plugin(tools);
  ctx.plugin(toolTodo, { allowParallelInProgress });
  onTestFinished(() => ctx.dispose());
  return ctx;
}

const write = (ctx: Context, todos: JsonValue): Promise<ToolExecutionResult> => ctx.tools.execute({ name: 'todo_write', arguments: { todos } });
const item = (content: string, status = 'pending') => ({ content, status });
const problem = (result: ToolExecutionResult) => (result.isError ? [result.error.info.code, result.error.message] : 'ok');

describe('todo_write', () => {
  it('gives the whole list, trimmed, with counts, and says the counts in one line [18.2 18.3 18.5]', async () => {
    const result = await write(bed(), [item(' Read ', 'completed'), item('Write', 'in_progress'), item('Test')]);
    expect(result).toMatchObject({
      isError: false,
      value: { todos: [item('Read', 'completed'), item('Write', 'in_progress'), item('Test')], counts: { pending: 1, inProgress: 1, completed: 1 } },
      content: [{ type: 'text', text: 'Todos: 1 pending, 1 in progress, 1 completed.' }],
    });
  });

  it('may be given an empty list [18.3]', async () => {
    expect(await write(bed(), [])).toMatchObject({ isError: false, value: { todos: [] } });
  });

  it.each<[string, JsonValue, RegExp]>([
    ['unknown keys', [{ ...item('a'), priority: 1 }], /priority/],
    ['an unknown status', [item('a', 'done')], /status/],
    ['no list', 'a', /todos/],
    ['more than a hundred items', Array.from({ length: 101 }, (_, i) => item(`${i}`)), /100/],
    ['an item of a thousand and one characters', [item('a'.repeat(1_001))], /1000|1,000/],
  ])('refuses %s before anything runs [18.2]', async (_what, todos, said) => {
    const result = await write(bed(), todos);
    expect(problem(result)).toEqual(['INVALID_ARGS', expect.stringMatching(said)]);
  });

  it('refuses items without words, and the same item twice once trimmed, each with a code [18.3]', async () => {
    const ctx = bed();
    expect(problem(await write(ctx, [item('a'), item(' \n')]))).toEqual(['TODO_EMPTY', expect.stringContaining('todos[1]')]);
    expect(problem(await write(ctx, [item('a'), item(' a ', 'completed')]))).toEqual(['TODO_DUPLICATE', expect.stringContaining('"a"')]);
  });

  it('allows one item in progress, or several where it was told to, and tells the model which [18.1 18.3]', async () => {
    const two = [item('a', 'in_progress'), item('b', 'in_progress')];
    expect(problem(await write(bed(), two))).toEqual(['TODO_TOO_MANY_IN_PROGRESS', '2 items are in progress, and only one may be']);
    expect(await write(bed(true), two)).toMatchObject({ isError: false });
    const said = (ctx: Context): string => ctx.tools.schemas()[0]?.description ?? '';
    expect(said(bed())).toContain('exactly the one item');
    expect(said(bed(true))).not.toContain('exactly the one item');
  });

  it('needs to be told which, for there is no default [18.1]', () => {
    const ctx = createContext();
    onTestFinished(() => ctx.dispose());
    ctx.plugin(tools);
    expect(() => ctx.plugin(toolTodo, {})).toThrow(/allowParallelInProgress/);
  });

  it('tells of a list that was written, with the scope, and of no other [18.4]', async () => {
    const ctx = bed();
    const told: TodosWritten[] = [];
    ctx.on('todo/written', (written) => { told.push(written); });
    await write(ctx.scope('agent'), [item('a')]);
    await write(ctx, [item('a'), item('a')]);
    expect(told.map(({ scopePath, counts }) => [scopePath, counts.pending])).toEqual([[['agent'], 1]]);
  });

  it('draws the list that was written, not only how long it is', () => {
    const call = { name: 'todo_write', arguments: { todos: [item('a', 'completed'), item('b')] } };
    const content = [{ type: 'text', text: 'Todos: …' }] as const;
    expect(bed().tools.present(call, { content, isError: false })).toMatchObject({ content: [{ text: '[x] a\n[ ] b' }] });
    expect(bed().tools.present(call, { content, isError: true })).toMatchObject({ content });
  });

  it('is drawn as the list itself', () => {
    const card = bed().tools.present({ name: 'todo_write', arguments: { todos: [item('a', 'completed'), item('b', 'in_progress'), item('c')] } });
    expect(card).toMatchObject({ card: 'generic', title: 'Todos', content: [{ type: 'text', text: '[x] a\n[~] b\n[ ] c' }] });
  });

  it('keeps what it is given, whatever the words', async () => {
    const ctx = bed(true);
    const contents = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => text.trim()).filter((text) => text !== ''), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(contents, fc.constantFrom('pending', 'in_progress', 'completed'), async (list, status) => {
        const todos = list.map((content) => item(content, status));
        expect(await write(ctx, todos)).toMatchObject({ isError: false, value: { todos } });
      }),
    );
  });
});

describe('todosOf', () => {
  const logged = async (ctx: Context, todos: JsonValue) => {
    const { name, isError, meta } = await write(ctx, todos);
    return { type: 'tool/result', data: { name, isError, meta } };
  };

  it('is the last list that was written in the turn, and nothing before and after [18.6]', async () => {
    const ctx = bed();
    const first = await logged(ctx, [item('a')]);
    const second = await logged(ctx, [item('a', 'completed')]);
    const refused = await logged(ctx, [item('a'), item('a')]);
    const turn = { type: 'turn/start', data: {} };
    expect(todosOf([])).toBeUndefined();
    expect(todosOf([turn, first, second, refused, { type: 'turn/end', data: {} }])).toEqual([item('a', 'completed')]);
    expect(todosOf([turn, first, turn])).toBeUndefined();
  });

  it('passes over what is no list of its own, whatever is in the log [18.7]', () => {
    const strange = [null, 1, {}, { name: 'todo_write' }, { name: 'todo_write', meta: { todos: [{ content: 1 }] } }, { name: 'other', meta: { todos: [item('a')] } }];
    expect(todosOf(strange.map((data) => ({ type: 'tool/result', data })))).toBeUndefined();
    const many = [item('a', 'in_progress'), item('b', 'in_progress')];
    expect(todosOf([{ type: 'tool/result', data: { name: 'todo_write', isError: false, meta: { todos: many } } }])).toEqual(many);
  });
});
