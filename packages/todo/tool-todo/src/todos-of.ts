import type { Todo } from './todo.ts';

/** An event of a session log, as far as it matters here. */
interface LoggedEvent {
  readonly type: string;
  readonly data: unknown;
}

const NAME = 'todo_write';

/**
 * The list as it stands after these events of a session log (`tool/result`, `turn/start`), oldest first: the last one
 * written in the current turn. Undefined before the first, and again when a turn begins. Never throws: what is no list of
 * ours is passed over.
 */
export function todosOf(events: Iterable<LoggedEvent>): readonly Todo[] | undefined {
  let todos: readonly Todo[] | undefined;
  for (const { type, data } of events) {
    if (type === 'turn/start') todos = undefined;
    if (type === 'tool/result') todos = writtenBy(data) ?? todos;
  }
  return todos;
}

function writtenBy(data: unknown): readonly Todo[] | undefined {
  const { name, isError, meta } = record(data);
  const { todos } = record(meta);
  return name === NAME && isError !== true && Array.isArray(todos) && todos.every(isTodo) ? todos : undefined;
}

function isTodo(value: unknown): value is Todo {
  const { content, status } = record(value);
  return typeof content === 'string' && (status === 'pending' || status === 'in_progress' || status === 'completed');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
