import { generated, packageLink, table } from '../markdown.mjs';
import { packages } from '../packages.mjs';
import { errorCodes, notCodes } from '../words/error-codes.mjs';

/** What does not fit, both ways, between the codes in our sources (code -> packages) and the names that words are written for. */
export function codeProblems(inSources, known) {
  return [
    ...[...inSources].filter(([name]) => !known.has(name)).map(([name, who]) => `${name} of ${[...who].join(', ')} has no entry in scripts/docs/words/error-codes.mjs`),
    ...[...known].filter((name) => !inSources.has(name)).map((name) => `${name} has an entry in scripts/docs/words/error-codes.mjs, and no source contains it`),
  ];
}

/** docs/catalog/error-codes.md: every code that our sources contain. @throws if words and source do not fit, both ways */
export async function errorCodesPage({ sources, load }) {
  const problems = codeProblems(sources.codes, new Set([...Object.keys(errorCodes), ...Object.keys(notCodes)]));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const { FsError, fsCodes } = await load('@sluice/fs');
  const entries = Object.entries(errorCodes).map(([name, words]) => [name, Object.hasOwn(fsCodes, name) ? withOwnWords(new FsError(name, 'x'), words) : words]);
  return [
    generated('the sources, and scripts/docs/words/error-codes.mjs'),
    '# Error codes',
    'Branch on the code, never on the message. Where a code is found:',
    table(['', ''], [
      ['result', '`error.info.code` of a result that `execute()` resolved to; a model reads message and hint'],
      ['thrown', '`code` of a `SluiceError` (`isSluiceError(error)`), thrown or rejected with: a mistake of the program, not of a model'],
      ['note', 'inside the value of a success'],
    ]),
    'A tool, guard or listener may give a code of its own; it is not in this list. `error.info.started` says whether the body was entered, `error.info.causeCode` what stood behind a failure.',
    table(['Code', 'Meaning', 'Where', 'Again?'], entries.map(([name, words]) => [`[\`${name}\`](#${name.toLowerCase()})`, words.meaning, words.where, words.retry])),
    ...entries.map(([name, words]) => section(name, words, sources.codes.get(name))),
  ].join('\n\n');
}

/** A file error explains itself: what is written here is only what it cannot know. */
function withOwnWords(error, words) {
  return { ...words, meaning: error.message.replace(/^cannot access "x": it /, 'it '), fix: error.hint, isRetryable: error.retryable };
}

function section(name, { meaning, cause, fix, retry, where, isRetryable }, sourcePackages) {
  return [
    `## ${name}`,
    table(['', ''], [
      ['Meaning', meaning],
      ['Cause', cause],
      ['What to do', fix],
      ['The same call again', isRetryable === true ? `${retry} (marked \`retryable\`)` : retry],
      ['Found in', where],
      ['Package', packages.filter((each) => sourcePackages.has(each.name)).map(packageLink).join(', ')],
    ]),
  ].join('\n\n');
}
