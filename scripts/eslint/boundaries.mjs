// An ESLint rule: which package may import what. Arrows point one way:
//   core-schema <- core-context <- seams and core-tools <- the other core packages and every plugin <- boot.
// Tests may import any package; nobody reaches into another package's files.
import { dirname, resolve, sep } from 'node:path';

/** Capabilities that several packages provide or use. A plugin may import these, and core, but no other plugin. */
export const SEAMS = ['approval', 'fs', 'code-runtime'];

/** Plain functions that know nothing of Sluice and import nothing of it. Open to every plugin. */
const LIBRARIES = ['terminal-text'];

/** What the lowest core packages may import, by folder. `type:` in front allows the types only. */
const CORE = {
  'core/schema': [],
  'core/context': ['core-schema'],
  'core/tools': ['core-context', 'core-schema', ...SEAMS.map((name) => `type:${name}`)],
};

/** Groups that put the others together, so they may know any package. */
const ASSEMBLERS = ['boot', 'test-support'];

const TYPEBOX = /^(@sinclair\/)?typebox(\/|$)/;

/** Where a file lives: `{ root, id: 'fs/tool-fs', group, folder, area: 'src' }`, or undefined outside packages/. */
function locate(filename) {
  const match = /^(.*\/packages\/([^/]+)\/([^/]+))\/([^/]+)/.exec(filename.split(sep).join('/'));
  if (match === null) return undefined;
  const [, root, group, folder, area] = match;
  return { root, id: `${group}/${folder}`, group, folder, area };
}

/** The import names (without `@sluice/`) open to a package's src, or undefined when all are. */
function allowed({ id, group, folder }) {
  if (id in CORE) return CORE[id];
  if (ASSEMBLERS.includes(group)) return undefined;
  if (LIBRARIES.includes(folder)) return [];
  if (SEAMS.includes(folder)) return ['core-context', 'core-schema', 'type:core-tools'];
  return ['core-*', ...(group === 'core' ? SEAMS.map((name) => `type:${name}`) : [...SEAMS, ...LIBRARIES])];
}

/** Why `specifier` may not be imported from `from`, or undefined when it may. */
export function objection(filename, specifier, isType) {
  const from = locate(filename);
  if (from === undefined) return undefined;
  if (specifier.startsWith('.')) {
    const target = resolve(dirname(filename), specifier).split(sep).join('/');
    if (target.startsWith(`${from.root}/`) || from.area === 'tsup.config.ts') return undefined;
    return 'a relative import must stay inside its package; import the other package by its name';
  }
  if (from.area === 'src' && TYPEBOX.test(specifier)) {
    return 'src must work and compile without TypeBox (about 230 ms to import on Node 20); describe the shape structurally';
  }
  const [, name, rest] = /^@sluice\/([^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  if (/^(src|dist|tests)(\/|$)/.test(rest ?? '')) return `"${specifier}" is internal to its package; import "@sluice/${name}"`;
  if (from.area !== 'src') return undefined;
  const list = allowed(from);
  const fits = (entry) => entry === name || (entry === 'core-*' && name.startsWith('core-'));
  if (list === undefined || list.some(fits)) return undefined;
  if (list.includes(`type:${name}`)) {
    return isType ? undefined : `packages/${from.id} may import types from @sluice/${name}, nothing that runs`;
  }
  return `packages/${from.id} may not import @sluice/${name}; arrows point from plugins to seams and core (scripts/eslint/boundaries.mjs)`;
}

export const boundaries = {
  meta: { type: 'problem', schema: [], messages: { no: '{{reason}}.' } },
  create(context) {
    const check = (source, isType) => {
      if (typeof source?.value !== 'string') return;
      const reason = objection(context.filename, source.value, isType);
      if (reason !== undefined) context.report({ node: source, messageId: 'no', data: { reason } });
    };
    const named = (node) => {
      const parts = node.specifiers ?? [];
      const kind = node.importKind ?? node.exportKind;
      // `import { type A }` leaves an import of nothing behind, which still runs the module.
      check(node.source, kind === 'type' && (parts.length > 0 || node.type === 'ExportAllDeclaration'));
    };
    return {
      ImportDeclaration: named,
      ExportNamedDeclaration: named,
      ExportAllDeclaration: named,
      ImportExpression: (node) => check(node.source, false),
      TSImportType: (node) => check(node.source ?? node.argument?.literal, true),
    };
  },
};
