/** Hints for a renderer's colours. */
const languages: Readonly<Record<string, string>> = {
  c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', hpp: 'cpp', cs: 'csharp', css: 'css', go: 'go', html: 'html', java: 'java', js: 'javascript', cjs: 'javascript',
  mjs: 'javascript', json: 'json', jsx: 'jsx', kt: 'kotlin', lua: 'lua', md: 'markdown', php: 'php', py: 'python', rb: 'ruby', rs: 'rust', scss: 'scss',
  sh: 'bash', bash: 'bash', sql: 'sql', swift: 'swift', toml: 'toml', ts: 'typescript', cts: 'typescript', mts: 'typescript', tsx: 'tsx', xml: 'xml',
  yaml: 'yaml', yml: 'yaml',
};

/** By the ending of its name; undefined when that says nothing. */
export function languageOf(path: string): string | undefined {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(languages, ending) ? languages[ending] : undefined;
}
