import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepare, ProgramError } from '../src/index.ts';

/** Where `mark` stands in the script, and where `locate` says it was in the program. */
function whereIs(program: string, mark: string): string {
  const { code, locate } = prepare(program);
  const before = code.slice(0, code.indexOf(mark)).split('\n');
  const { line, column } = locate({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  return `${line}:${column}`;
}

describe('a prepared program', { timeout: 60_000 }, () => {
  it.each([
    ['const x: number = mark();', '1:19'],
    ['let a: string;\n  type B = { c: 1 };\n  const d = <T,>(e: T) => mark(e);', '3:27'],
    ['enum A { B }\nconst c = mark();', '2:11'],
    ['enum A { B } const c = mark();', '1:24'],
    ['let a = 1\ntype X = number\n;(mark as any)()', '3:3'],
    ['class P { constructor(private q = 1) {} }\nreturn mark(new P());', '2:8'],
  ])('keeps positions: %j', (program, position) => {
    expect(whereIs(program, 'mark')).toBe(position);
  });

  it('keeps a statement that begins with a semicolon apart from a type before it', () => {
    const { code } = prepare('let a = 1\ntype X = number\n;(f as any)()');
    expect(code).toMatch(/1\s*;\s*;?\s*f\(\)|1\s*;\s*\(f\)\(\)/);
  });

  it('lets no import() through, wherever it hides, and leaves text alone that only looks like it', () => {
    const program = [
      'const a = import("x"), b = { import: 1 }, c = b.import, d = `${import(`y${import("z")}`)}`;',
      'class E { import() { return import /* c */ ("w"); } static x = import("v"); }',
      'const f = "import(", g = /import\\(/, h = (i = import("u")) => i; // import("t")',
      'return async () => { for await (const j of import("s")) await import("r"); };',
    ].join('\n');
    const { code } = prepare(program);
    expect(code.match(/\bImport\b/g)).toHaveLength(8);
    // What is left are two names, a text, a pattern and a comment.
    expect(code.match(/\bimport\b/g)).toHaveLength(6);
    const original = program.replaceAll(/\s/g, '');
    expect(code.replaceAll('Import', 'import').replaceAll(/\s/g, '')).toContain(original);
  });

  it.each(['import.meta.url', 'import x from "y"', 'export {}', 'import defer * as x from "y"', '}; {', '})(); (async function(){', '})}; {({', 'await', 'yield 1', 'with(a){}'])(
    'is refused when it is no body of an async function: %s',
    (program) => {
      expect(() => prepare(program)).toThrow(ProgramError);
    },
  );

  it('is a program error or a script, whatever the text', () => {
    const pieces = fc.constantFrom('import', '(', ')', '{', '}', '"', '`', '${', '/', '*', '\n', ';', ' ', 'a', '=>', 'async ', 'await ', '.', '<', '>', ':', 'x', '=', '1', '\\', '//', 'type ', 'enum ', 'class ', '\u2028');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        try {
          prepare(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(ProgramError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has an end to its length and to its depth', () => {
    expect(() => prepare('/'.repeat(1_000_001))).toThrow('longer than');
    expect(() => prepare('['.repeat(50_000))).toThrow(ProgramError);
    expect(() => prepare(`return ${'('.repeat(20_000)}1${')'.repeat(20_000)}`)).toThrow('deep');
  });

  it('is none the worse for programs that were nested too deeply before it', () => {
    for (let i = 0; i < 20; i += 1) expect(() => prepare(`return ${'('.repeat(20_000)}1${')'.repeat(20_000)}`)).toThrow('deep');
    expect(prepare('const fine: number = 1;').code).toContain('fine');
  });
});
