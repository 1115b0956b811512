import { ToolError } from '@sluice/core-tools';

export type TodoStatus = 'pending' | 'in_progress' | 'completed';

export interface Todo {
  /** Trimmed, not empty, unique in its list. */
  readonly content: string;
  readonly status: TodoStatus;
}

/** The value of `todo_write`: the whole list as it is now. */
export interface TodoList {
  readonly todos: readonly Todo[];
  readonly counts: { readonly pending: number; readonly inProgress: number; readonly completed: number };
}

/** The list that a call asks for. @throws ToolError `TODO_EMPTY`, `TODO_DUPLICATE`, `TODO_TOO_MANY_IN_PROGRESS` */
export function todoListOf(asked: readonly Todo[], allowParallelInProgress: boolean): TodoList {
  const todos = asked.map(({ content, status }) => Object.freeze({ content: content.trim(), status }));
  const seen = new Set<string>();
  todos.forEach(({ content }, index) => {
    if (content === '') throw refused('TODO_EMPTY', `todos[${index}] has no content but white space`, 'Say what is to be done, or leave the item out.');
    if (seen.has(content)) throw refused('TODO_DUPLICATE', `todos[${index}] is in the list twice: ${JSON.stringify(content)}`, 'Keep one of the two.');
    seen.add(content);
  });
  const count = (wanted: TodoStatus): number => todos.filter(({ status }) => status === wanted).length;
  const counts = { pending: count('pending'), inProgress: count('in_progress'), completed: count('completed') };
  if (!allowParallelInProgress && counts.inProgress > 1) {
    throw refused('TODO_TOO_MANY_IN_PROGRESS', `${counts.inProgress} items are in progress, and only one may be`, 'Mark the others pending or completed.');
  }
  return { todos, counts };
}

function refused(code: string, message: string, hint: string): ToolError {
  return new ToolError(message, { code, hint: `The list was not changed. ${hint}` });
}
