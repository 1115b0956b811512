import { compileSchema, isSluiceError } from '@sluice/core-schema';

/** A regular expression that takes linear time, whatever text it meets. Unanchored, as patterns in JSON Schema are. */
export interface BoundedPattern {
  /** False also for a text that is too long to be checked. */
  surelyMatches(text: string): boolean;
  /** True also for a text that is too long to be checked. */
  possiblyMatches(text: string): boolean;
}

/** Core's validator runs foreign patterns in bounded time, and reports as a violation what it could not check. */
export function boundedPattern(source: string): BoundedPattern {
  const pattern = { type: 'string', pattern: source };
  try {
    const is = compileSchema(pattern, { origin: 'foreign', label: 'a rule' });
    const isNot = compileSchema({ not: pattern }, { origin: 'foreign', label: 'a rule' });
    return {
      surelyMatches: (text) => is.validate(text).length === 0,
      possiblyMatches: (text) => isNot.validate(text).length > 0,
    };
  } catch (error) {
    if (!isSluiceError(error)) throw error;
    throw new SyntaxError(`the pattern ${JSON.stringify(source)} cannot be used: ${error.message.replace(/^a rule: invalid schema: /, '')}`, { cause: error });
  }
}
