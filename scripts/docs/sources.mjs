import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { packages } from './packages.mjs';

/** Upper case with an underscore: how every code of ours is spelt that is not in a table of codes. */
const LOOKS_LIKE_A_CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;

/** How a hook is run, by the method of the context that is called with its name. */
const RUNS = new Set(['emit', 'waterfall', 'listeners']);

/** The source files of every package that takes part in a call, parsed: `{ package, path, tree }`. */
function* sourceFiles() {
  for (const each of packages) {
    // The kit for tests throws and emits all kinds of things on purpose.
    if (each.group === 'test-support') continue;
    for (const file of readdirSync(join(each.directory, 'src'), { recursive: true }).sort()) {
      if (!/\.[cm]?[jt]s$/.test(file)) continue;
      const path = `${each.path}/src/${file}`;
      const tree = ts.createSourceFile(path, readFileSync(join(each.directory, 'src', file), 'utf8'), ts.ScriptTarget.Latest, true);
      yield { package: each.name, path, tree };
    }
  }
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

function comment(node) {
  const text = node.jsDoc?.at(-1)?.comment;
  return ts.getTextOfJSDocComment(text)?.replace(/\s+/g, ' ').trim();
}

const add = (map, key, value) => map.set(key, (map.get(key) ?? new Set()).add(value));

/**
 * What can only be read from source:
 * - `codes`: code -> packages that it is written in;
 * - `hooks`: name -> `{ kind, args, result, patch, says, package }` as declared;
 * - `runs`, `listens`: hook -> packages that run it, or listen on it;
 * - `types`: name -> members of an interface or object type: `{ name, type, isOptional, says, members }`; aliases are followed.
 */
export function readSources() {
  const facts = { codes: new Map(), hooks: new Map(), runs: new Map(), listens: new Map(), types: new Map() };
  const aliases = new Map();
  for (const file of sourceFiles()) {
    visit(file.tree, (node) => {
      if (ts.isStringLiteralLike(node) && LOOKS_LIKE_A_CODE.test(node.text)) add(facts.codes, node.text, file.package);
      if (ts.isVariableDeclaration(node) && /codes$/i.test(node.name.getText())) readCodes(node, file, facts.codes);
      if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
        const [first] = node.arguments;
        const method = node.expression.name.text;
        if (first === undefined || !ts.isStringLiteral(first) || !/^[a-z-]+\/[a-z-]+$/.test(first.text)) return;
        if (RUNS.has(method)) add(facts.runs, first.text, file.package);
        if (method === 'on') add(facts.listens, first.text, file.package);
      }
      if (ts.isInterfaceDeclaration(node)) {
        if (node.name.text === 'Hooks') for (const member of node.members) readHook(member, file, facts.hooks);
        else facts.types.set(node.name.text, readMembers(node.members));
      }
      if (ts.isTypeAliasDeclaration(node) && ts.isTypeReferenceNode(node.type)) aliases.set(node.name.text, aliased(node.type));
    });
  }
  for (const [name, target] of aliases) if (!facts.types.has(name) && facts.types.has(target)) facts.types.set(name, facts.types.get(target));
  return facts;
}

/** What a name stands for, seen through `Required<T>` and the like. */
function aliased({ typeName, typeArguments }) {
  const name = typeName.getText();
  const [first] = typeArguments ?? [];
  return ['Partial', 'Required', 'Readonly'].includes(name) && first !== undefined && ts.isTypeReferenceNode(first) ? aliased(first) : name;
}

/** The names in a table of codes: those of one word count too. */
function readCodes(declaration, file, codes) {
  visit(declaration, (node) => {
    if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.initializer) && node.name.getText() === node.initializer.text) {
      add(codes, node.initializer.text, file.package);
    }
  });
}

function readHook(member, file, hooks) {
  const says = comment(member);
  const name = member.name.text;
  // Some packages repeat a declaration, so that they need not depend on its owner. The owner's folder has the hook's name, or it is alone.
  if (hooks.has(name) && !file.package.endsWith(`/${name.split('/')[0]}`)) return;
  const [args, ...rest] = member.type.typeArguments.map((type) => type.getText().replace(/\s+/g, ' '));
  hooks.set(name, { kind: member.type.typeName.getText(), args, result: rest[0], patch: rest[1], says, package: file.package });
}

function readMembers(members) {
  return members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.text ?? member.name.getText(),
    type: member.type?.getText().replace(/\s+/g, ' ') ?? 'unknown',
    isOptional: member.questionToken !== undefined,
    says: comment(member),
    members: member.type !== undefined && ts.isTypeLiteralNode(member.type) ? readMembers(member.type.members) : undefined,
  }));
}
