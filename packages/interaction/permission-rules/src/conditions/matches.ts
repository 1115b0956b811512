import { boundedPattern } from '../bounded-pattern.ts';
import { isSingleCommand } from '../command.ts';
import { decodings, foldings, isOrdinary, unmask } from '../encoding.ts';
import { anyText, type Judge } from './condition.ts';

/** @throws SyntaxError for what is no regular expression, or none whose time can be bounded */
export function matchesPattern(source: string, isCommand: boolean): Judge {
  const part = boundedPattern(source);
  const whole = boundedPattern(`^(?:${source})$`);
  return {
    surely: (value) => typeof value === 'string' && isOrdinary(value) && (!isCommand || isSingleCommand(value)) && whole.surelyMatches(value),
    possibly: (value) => anyText(value, (text) => spellings(text).some((spelling) => part.possiblyMatches(spelling))),
  };
}

/** In the case it has and in lower case, since the pattern may be written in either. */
function spellings(text: string): readonly string[] {
  return [...new Set([text, ...decodings(text).map(unmask), ...foldings(text)])];
}
