import type { Notification } from '@sluice/core-context';
import { definePlugin, defineTool, type Context } from '@sluice/core-tools';
import { todoListOf, type Todo, type TodoList, type TodoStatus } from './todo.ts';

export type { Todo, TodoList, TodoStatus };
export { todosOf } from './todos-of.ts';

export interface ToolTodoConfig {
  /** Whether more than one item may be in progress at a time. No default: it changes what the model is told to do. */
  readonly allowParallelInProgress: boolean;
}

export interface TodosWritten extends TodoList {
  readonly scopePath: Context['scopePath'];
}

declare module '@sluice/core-context' {
  interface Hooks {
    /** A scope has a new list. */
    'todo/written': Notification<[written: TodosWritten]>;
  }
}

/** Items of one list. More than that is no plan any more. */
const MAX_ITEMS = 100;
/** UTF-16 code units of one item. */
const MAX_CONTENT = 1_000;

const config = {
  type: 'object',
  additionalProperties: false,
  required: ['allowParallelInProgress'],
  properties: { allowParallelInProgress: { type: 'boolean' } },
} as const;

const todos = {
  type: 'array',
  maxItems: MAX_ITEMS,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['content', 'status'],
    properties: {
      content: { type: 'string', minLength: 1, maxLength: MAX_CONTENT },
      status: { enum: ['pending', 'in_progress', 'completed'] },
    },
  },
} as const;
const count = { type: 'integer', minimum: 0 } as const;

const MARKS: Readonly<Record<TodoStatus, string>> = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };

/** Registers `todo_write`, by which a model keeps a list of what it has to do. The list is the tool's value; nothing is stored here. */
export const toolTodo = definePlugin<ToolTodoConfig>({
  name: 'tool-todo',
  inject: ['tools'],
  config,
  apply(ctx, { allowParallelInProgress }) {
    const rule = allowParallelInProgress ? 'Mark what you are working on in_progress.' : 'Mark exactly the one item that you are working on in_progress.';
    ctx.tools.register(
      defineTool({
        name: 'todo_write',
        description:
          'Writes the list of what is to be done, all of it: what is left out is dropped. Use it for work of several steps, and ' +
          `write it anew as soon as something is done. ${rule}`,
        parameters: { type: 'object', additionalProperties: false, required: ['todos'], properties: { todos } },
        output: {
          schema: {
            type: 'object',
            required: ['todos', 'counts'],
            properties: {
              todos,
              counts: { type: 'object', required: ['pending', 'inProgress', 'completed'], properties: { pending: count, inProgress: count, completed: count } },
            },
          },
          render: (_args, { counts }) => [
            { type: 'text', text: `Todos: ${counts.pending} pending, ${counts.inProgress} in progress, ${counts.completed} completed.` },
          ],
          presentationMeta: (_args, list) => ({ todos: list.todos }),
        },
        annotations: { title: 'Todos', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        execute(args, exec) {
          const list = todoListOf(args.todos, allowParallelInProgress);
          ctx.emit('todo/written', Object.freeze({ ...list, scopePath: exec.scopePath }));
          return { todos: [...list.todos], counts: list.counts };
        },
        presentCall: ({ todos: list }) => ({ card: 'generic', kind: 'other', title: 'Todos', content: [{ type: 'text', text: linesOf(list) }] }),
        presentResult: ({ todos: list }, { isError }) => (isError ? undefined : { card: 'generic', title: 'Todos', content: [{ type: 'text', text: linesOf(list) }] }),
      }),
    );
  },
});
export default toolTodo;

function linesOf(list: readonly Todo[]): string {
  return list.length === 0 ? '(nothing to do)' : list.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n');
}
