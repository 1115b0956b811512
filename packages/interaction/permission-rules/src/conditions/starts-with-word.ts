import { isSingleCommand, mayRun } from '../command.ts';
import { anyText, type Judge } from './condition.ts';

const PREFIX = /^[A-Za-z0-9_./@+-][A-Za-z0-9_./@:,+-]*(?: [A-Za-z0-9_./@:,+=-]+)*$/;

/**
 * A command that begins with these words, whole ones. In an allow it must be one simple command and nothing else.
 * @throws SyntaxError for words that a shell might read in another way than as they stand
 */
export function startsWithWord(prefix: string): Judge {
  if (!PREFIX.test(prefix)) {
    throw new SyntaxError(`the words ${JSON.stringify(prefix)} must be plain ones, separated by single spaces: letters, digits and any of _ . / @ : , + = -, no "=" in the first`);
  }
  const words = prefix.split(' ');
  const folded = prefix.toLowerCase().split(' ');
  return {
    surely(value) {
      if (typeof value !== 'string' || !isSingleCommand(value)) return false;
      const given = value.split(' ');
      return words.every((word, index) => given[index] === word);
    },
    possibly: (value) => anyText(value, (text) => mayRun(text, folded)),
  };
}
