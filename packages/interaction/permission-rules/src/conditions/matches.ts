import { boundedPattern } from '../bounded-pattern.ts';
import { isSingleCommand } from '../command.ts';
import { foldings, isOrdinary } from '../encoding.ts';
import { anyText, type Judge } from './condition.ts';

/** @throws SyntaxError for what is no regular expression, or none whose time can be bounded */
export function matchesPattern(source: string, isCommand: boolean): Judge {
  const part = boundedPattern(source);
  const whole = boundedPattern(`^(?:${source})$`);
  return {
    surely: (value) => typeof value === 'string' && isOrdinary(value) && (!isCommand || isSingleCommand(value)) && whole.surelyMatches(value),
    possibly: (value) => anyText(value, (text) => part.possiblyMatches(text) || foldings(text).some((folding) => part.possiblyMatches(folding))),
  };
}
