import { quoteKey, type PathStep, formatPath } from './path.ts';

/** One thing that is wrong with a value, in words that a model can act on. */
export interface SchemaIssue {
  /** Where: `''` at the root, then `a.b`, `a[2]`, `a["b.c"]`. */
  path: string;
  /** A short sentence, such as `"limit" must be an integer, received string "500"`. */
  message: string;
  /** What would have been right, such as `an integer`. */
  expected: string;
  /** What came, cut to about 80 characters, such as `string "500"`. */
  received: string;
}

const ROOT_SUBJECT = 'value';
const MAX_DESCRIBED = 8;

/** How a message names the place: the quoted path, or `value` for the root. */
function subjectOf(path: string): string {
  if (path === '') return ROOT_SUBJECT;
  return path.includes('"') ? path : `"${path}"`;
}

/** An issue of the shape `<where> must be <expected>, received <received>`. */
export function mustBe(steps: readonly PathStep[], expected: string, received: string): SchemaIssue {
  const path = formatPath(steps);
  return { path, message: `${subjectOf(path)} must be ${expected}, received ${received}`, expected, received };
}

/** An issue of the shape `<where> <text>`. */
export function issueAt(steps: readonly PathStep[], text: string, expected: string, received: string): SchemaIssue {
  const path = formatPath(steps);
  return { path, message: `${subjectOf(path)} ${text}`, expected, received };
}

/**
 * Joins issues to one line, at most eight of them, then says how many more there are.
 * @param root what to call the value as a whole; default `arguments`.
 */
export function describeIssues(issues: readonly SchemaIssue[], root = 'arguments'): string {
  const texts = issues.slice(0, MAX_DESCRIBED).map((issue) => {
    if (issue.path === '' && issue.message.startsWith(`${ROOT_SUBJECT} `)) return root + issue.message.slice(ROOT_SUBJECT.length);
    return issue.message;
  });
  const more = issues.length - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

export { quoteKey };
