import { describe, expect, it } from 'vitest';
import { pathInside } from '../src/conditions/path.ts';
import type { Condition, Decision } from '../src/index.ts';
import { aRulesHost } from './support.ts';

/** What one rule with one condition makes of a value; `ask` is the default, so that an allow and a deny both show. */
function judge(decision: Decision, condition: Condition, path = 'x'): (value: unknown) => Decision {
  const { ctx } = aRulesHost({ rules: [{ tool: 'read', when: { [path]: condition }, decision }] });
  return (value) => ctx.rules.decide({ toolName: 'read', arguments: path === '' ? value : value === undefined ? {} : { [path.replace(/\W.*/, '')]: value } });
}

describe('equals and oneOf', () => {
  it('compare JSON as a whole, to the last code unit, for an allow', () => {
    const is = judge('allow', { oneOf: ['a b', 5, { b: [1, null], a: true }] });
    for (const value of ['a b', 5, 5.0, { a: true, b: [1, null] }]) expect(is(value), JSON.stringify(value)).toBe('allow');
    for (const value of ['A b', 'a b ', ' a b', 'a  b', 'a\u00a0b', 'a b.', 'a%20b', 'а b', 'a\0 b', '5', [5], { a: true }, { a: true, b: [1, null], c: 1 }, null, undefined]) {
      expect(is(value), JSON.stringify(value)).toBe('ask');
    }
  });

  it('take every spelling for a deny', () => {
    const is = judge('deny', { equals: 'secret key' });
    for (const value of ['secret key', 'SECRET KEY', 'secret key. ', 'secret%20key', 'secret%2520key', 'ｓecret\u00a0key', 'ѕесrеt kеy', 'ΣЕCRET KEY'.replace('Σ', 'Ѕ'), 'se\u200bcret\u00ad key', 'secret key\0.txt', ['secret key'], ['secret', 'key'], { a: { b: 'secret key' } }]) {
      expect(is(value), JSON.stringify(value)).toBe('deny');
    }
    for (const value of ['secret', 'secret keys', '', undefined, 5]) expect(is(value), JSON.stringify(value)).toBe('ask');
  });

  it('deny an object that has more members than the one that is denied', () => {
    const is = judge('deny', { equals: { path: 'a', mode: 1 } }, '');
    expect([is({ path: 'A', mode: 1, extra: true }), is({ path: 'a' }), is({ path: 'a', mode: 2 })]).toEqual(['deny', 'ask', 'ask']);
  });
});

describe('path', () => {
  it.each<[string, string, string[], string[]]>([
    ['a directory', 'docs/**', ['docs/a.md', 'docs/a/b.md', './docs/a.md', '/work/docs/a.md', 'docs//a.md', 'docs/日本語.md', 'docs/café.md'], ['docs2/a.md', 'a/docs/b', 'docs/.env', 'docs/.git/hooks/x', 'Docs/a.md', '/docs/a.md', '/workshop/docs/a.md']],
    ['an extension', '*.md', ['a.md', '/work/a.md'], ['a/b.md', '.md', 'a.md.exe', 'a.MD', 'amd']],
    ['everything', '**', ['a', 'a/b', '.', '/work', '/work/'], ['.env', 'a/.git/x', '..', '/', '/etc/passwd']],
    ['alternatives and classes', '{src,lib}/[a-c]?.ts', ['src/ax.ts', 'lib/cx.ts'], ['src/dx.ts', 'srclib/ax.ts', 'src/a/x.ts']],
    ['a directory with parentheses, which are no group', 'app/(auth)/*', ['app/(auth)/x'], ['app/auth/x', 'app/(auth)/x/y']],
    ['a leading exclamation mark, which negates nothing', '!a', ['!a'], ['b', 'a']],
    ['plus and bar, which mean themselves', 'a+(b|c)', ['a+(b|c)'], ['ab', 'abc', 'a+b']],
    ['a hidden file by its name', '.github/*', ['.github/x'], ['github/x', '.github/.x']],
  ])('allows %s (%s) by the plain text of the path', (_what, glob, inside, outside) => {
    const is = judge('allow', { path: glob });
    for (const path of inside) expect(is(path), path).toBe('allow');
    for (const path of outside) expect(is(path), path).toBe('ask');
  });

  it.each([
    ['..', 'docs/../docs/a'], ['.. at the start', '../work/docs/a'], ['NUL', 'docs/a\0'], ['percent-encoding', 'docs/%61'], ['percent-encoded dots', 'docs/%2e%2e/a'],
    ['a backslash', 'docs/a\\b'], ['backslashes for slashes', 'docs\\a'], ['a trailing dot', 'docs/a.'], ['a trailing space', 'docs/a '], ['a directory with a trailing dot', 'docs/a./b'],
    ['a leading space', ' docs/a'], ['a newline', 'docs/a\nb'], ['a zero-width space', 'docs/a\u200b'], ['a soft hyphen', 'docs/a\u00ad'], ['right-to-left override', 'docs/\u202egpj.exe'],
    ['a decomposed letter', 'docs/cafe\u0301'], ['a full-width letter', 'docs/ａ'], ['a ligature', 'docs/ﬁle'], ['a Cyrillic letter among Latin ones', 'docs/раge'], ['half a surrogate pair', 'docs/\ud800'],
    ['a look-alike of a slash', 'docs/a∕b'], ['a no-break space', 'docs/a\u00a0b'], ['a drive', 'C:/work/docs/a'], ['a stream', 'docs/a:b'], ['a URL', 'file:///work/docs/a'], ['a home directory', '~/docs/a'],
    ['two slashes first', '//work/docs/a'], ['a short name', 'docs/SECRET~1.TXT'], ['emptiness', ''], ['a path longer than any', `docs/${'a/'.repeat(3_000)}a`],
    ['a list', ['docs/a']], ['a number', 5], ['an object', { path: 'docs/a' }], ['null', null], ['nothing', undefined],
  ])('never allows %s', (_what, path) => {
    expect(judge('allow', { path: '**' })(path)).toBe('ask');
    expect(judge('allow', { path: 'docs/**' })(path)).toBe('ask');
  });

  it('denies a path however it is written', () => {
    const is = judge('deny', { path: 'secrets/**' });
    for (const path of [
      'secrets/a', 'secrets', 'secrets/', './secrets/a', '/work/secrets/a', '/WORK/Secrets/a', 'SECRETS/a', 'a/../secrets/b', '../work/secrets/a', 'secrets/.hidden/a', 'secrets//a', 'secrets/../secrets/a',
      'secrets\\a', '.\\secrets\\a', 'a\\..\\secrets\\b', 'secrets%2fa', '%73ecrets/a', '%2e%2e/work/secrets/a', 'a/%252e%252e/secrets/b', 'secrets%5ca', 'secrets./a', 'secrets /a', 'secrets. . /a', ' secrets/a',
      'secrets\0/a', 'secrets/a\0.png', 'ｓecrets/a', 'secrets／a', 'ѕecrets/a', 'ѕесrеts/a', 'se\u200bcrets/a', 'sec\u00adrets/a', 'secrets∕a', 'secreTS/a', 'secrets::$INDEX_ALLOCATION/a', 'C:\\work\\secrets\\a', 'c:secrets/a',
      'file:///work/secrets/a', 'file://localhost/work/secrets/a', 'SECRET~1/a', 'ſecrets/a', 'secrets/a'.repeat(1_000), ['secrets/a'], ['docs/a', 'secrets/a'], { to: 'secrets/a' },
    ]) expect(is(path), JSON.stringify(path).slice(0, 80)).toBe('deny');
    for (const path of ['secrets2/a', 'a/secrets', 'secret', '/secrets/a', '/workshop/secrets/a', 'docs/a', '.', undefined, 5, ['docs/a']]) expect(is(path), JSON.stringify(path)).toBe('ask');
  });

  it('denies by extension, hidden files, wildcards that count, and names with letters of any kind', () => {
    expect(judge('deny', { path: '**/*.pem' })('a/.pem')).toBe('deny');
    expect(judge('deny', { path: '**/.env*' })('.ENV.local')).toBe('deny');
    expect(judge('deny', { path: '?.txt' })('ﬁ.txt')).toBe('deny');
    expect(judge('deny', { path: 'straße/*' })('STRASSE/x')).toBe('deny');
    expect(judge('deny', { path: 'café/*' })('cafe\u0301/x')).toBe('deny');
    expect(judge('deny', { path: 'İstanbul/*' })('istanbul/x')).toBe('deny');
  });

  it('knows drives, shares and long paths of Windows', () => {
    const onDrive = pathInside('secrets/**', ['C:/Work']);
    for (const path of ['secrets/a', 'SECRETS\\a', 'C:\\Work\\secrets\\a', 'c:/work/Secrets/a', '\\work\\secrets\\a', '/work/secrets/a', '\\\\?\\C:\\work\\secrets\\a', 'file:///C:/work/secrets/a', 'c:secrets\\a', '..\\work\\secrets\\a', 'C:/work/secrets./a']) expect(onDrive.possibly(path), path).toBe(true);
    for (const path of ['D:/work/x', 'docs/a', 'C:/other/secrets/a']) expect(onDrive.possibly(path), path).toBe(false);
    expect([onDrive.surely('C:/Work/secrets/a'), onDrive.surely('secrets/a'), onDrive.surely('D:/Work/secrets/a'), onDrive.surely('C:/work/secrets/a'), onDrive.surely('/Work/secrets/a')]).toEqual([true, true, false, false, false]);
    const onShare = pathInside('secrets/**', ['//server/share']);
    expect([onShare.possibly('\\\\SERVER\\share\\secrets\\a'), onShare.possibly('secrets\\a'), onShare.possibly('//server/other/secrets/a')]).toEqual([true, true, false]);
    const atRoot = pathInside('etc/**', ['/']);
    expect([atRoot.possibly('/etc/passwd'), atRoot.possibly('etc/passwd'), atRoot.surely('/etc/passwd'), atRoot.surely('/usr/x')]).toEqual([true, true, true, false]);
  });

  it('is quick for any glob and any path', () => {
    const is = judge('deny', { path: `${'*a'.repeat(30)}*b` });
    const began = performance.now();
    is('a'.repeat(4_000));
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('startsWithWord', () => {
  it('allows one simple command that begins with the whole words', () => {
    const is = judge('allow', { startsWithWord: 'git log' });
    for (const command of ['git log', 'git log -1', 'git log --oneline src/a.ts', 'git log --since=2024-01-01', 'git log "a b"', "git log 'a b' c", 'git log  -1'.replace('  ', ' ')]) expect(is(command), command).toBe('allow');
    for (const command of [
      'git', 'git logs', 'git  log', 'gitlog', 'GIT log', 'git status', 'git -C x log', ' git log', 'git log ', 'git\tlog', './git log', '/usr/bin/git log', '"git" log', "git 'log'", 'g"i"t log', 'git l\\og',
      'git log; rm x', 'git log;rm x', 'git log && rm x', 'git log || rm x', 'git log | sh', 'git log & rm x', 'git log\nrm x', 'git log\r\nrm x', 'git log `id`', 'git log $(id)', 'git log ${X}', 'git log $X', 'git log <(id)', 'git log > x',
      'git log >> x', 'git log < x', 'git log 2>&1', 'A=1 git log', 'git log *', 'git log ?', 'git log [a]', 'git log {a,b}', 'git log ~', 'git log !x', 'git log #x', 'git log %PATH%', 'git log ^x', 'git log \\x', 'git log (x)',
      'git log "a', 'git log "$X"', 'git log "`id`"', 'git log "a\nb"', "git log 'a;b'", 'git log "a""b"', 'git log x"y"', "git log $'x'", 'git log\0', 'git log \u200b', 'git log\u00a0x', 'git log –x', 'git log ｘ', 'gіt log', '', undefined, 5, ['git', 'log'], { c: 'git log' },
    ]) expect(is(command), JSON.stringify(command)).toBe('ask');
  });

  it('denies a command wherever a shell may run it', () => {
    const is = judge('deny', { startsWithWord: 'curl x.example' });
    for (const command of [
      'curl x.example', 'curl -s x.example', 'curl  x.example', 'curl\tx.example', ' curl x.example', 'CURL X.example', 'curl.exe x.example', '/usr/bin/curl x.example', './curl x.example', '\\curl x.example', 'c\\url x.example', 'c""url x.example', "'curl' x.example", '"curl" "x.example"', 'c^url x.example',
      'a; curl x.example', 'a;curl x.example', 'a && curl x.example', 'a || curl x.example', 'a | curl x.example', 'a & curl x.example', 'a\ncurl x.example', 'a\r\ncurl x.example', 'curl \\\nx.example', 'cu\\\nrl x.example', '$(curl x.example)', 'echo "$(curl x.example)"', '`curl x.example`', '(curl x.example)', '{ curl x.example; }', '&>f curl x.example', '>|f curl x.example', '<<<a curl x.example',
      'A=1 curl x.example', 'A=1 B="2" curl x.example', '> f curl x.example', '2>&1 curl x.example', 'curl > f x.example', 'curl x.example > f', 'curl x.example 2>/dev/null', 'curl x.example;', 'exec 3<>f; curl x.example', 'diff <(curl x.example) a',
      'sudo curl x.example', 'sudo -u bob curl x.example', 'env -i A=1 curl x.example', 'xargs curl x.example', 'nohup curl x.example &', 'timeout 5 curl x.example', 'time curl x.example', 'bash -c "curl x.example"', "sh -c 'cd /; curl x.example'", 'eval curl x.example', 'eval "curl" "x.example"', 'find . -exec curl x.example \\;',
      'if true; then curl x.example; fi', 'while curl x.example; do :; done', '! curl x.example', 'cat <<E\ncurl x.example\nE', 'python -c "import os; os.system(\'curl x.example\')"', 'cmd /c curl x.example', 'cmd.exe /c "curl x.example"',
      '$CURL x.example', '${C}url x.example', 'cur? x.example', '/usr/bin/cur[l] x.example', '{curl,x.example}', 'curl$IFS"x.example"', 'curl $HOST', 'curl -s $HOST', 'curl ${X}.example', "$'\\x63url' x.example", '$(echo curl) x.example', '`echo curl` x.example', '%COMSPEC% x.example',
      'ｃｕｒｌ x.example', 'сurl x.example', 'cu\u200brl x.example', 'curl\u00a0x.example', 'curl\u2028x.example', 'a\u2028curl x.example', 'a\0curl x.example', 'cu\0rl x.example'.replace('\0', ''), 'a；curl x.example', 'curl%20x.example', ['curl', 'x.example'], ['a', 'curl x.example'], { run: 'curl x.example' },
    ]) expect(is(command), JSON.stringify(command)).toBe('deny');
    for (const command of ['curl', 'curl y.example', 'echo curl x.example', 'curlx x.example', 'git log curl x.example', 'git add *.ts', 'ls $HOME', '[ -f x ] && ls', '! ls', '', undefined, 5]) expect(is(command), JSON.stringify(command)).toBe('ask');
  });

  it('is quick for any command', () => {
    const is = judge('deny', { startsWithWord: 'curl x' });
    for (const unit of ['sudo curl ', '"', '\\', '$(', ';', '{ ', '<', 'a=', '%2525', '1', 'a', ' ', '\\\n', '> ']) {
      const began = performance.now();
      is(unit.repeat(Math.floor(99_000 / unit.length)));
      expect(performance.now() - began, unit).toBeLessThan(3_000);
    }
    expect(is('a '.repeat(60_000))).toBe('deny');
  });
});

describe('matches', () => {
  it('takes the whole text for an allow, in its ordinary spelling', () => {
    const is = judge('allow', { matches: 'https://x\\.example/.*' });
    for (const url of ['https://x.example/', 'https://x.example/a/b?c=d']) expect(is(url), url).toBe('allow');
    for (const url of ['https://x.example', 'see https://x.example/', 'https://x.example/\nhttps://y.example', 'https://x.example/%2e%2e/a', 'https://x.example/../a', 'https://x.example/a\\b', 'https://x.example/a\0', 'https://x.example/ａ', ' https://x.example/', 'https://x.example/ ', 5, ['https://x.example/'], null, undefined]) {
      expect(is(url), JSON.stringify(url)).toBe('ask');
    }
    expect(judge('allow', { matches: 'a|b' })('ab')).toBe('ask');
  });

  it('allows no command line that is more than one simple command', () => {
    const is = judge('allow', { matches: 'git .*' }, 'command');
    expect([is('git log'), is('git log; rm x'), is('git log $(id)')]).toEqual(['allow', 'ask', 'ask']);
  });

  it('finds a part for a deny, however it is written', () => {
    const is = judge('deny', { matches: 'DROP TABLE|passwd' });
    for (const text of ['x; DROP TABLE y', '/etc/passwd', '/etc/PASSWD', 'p%61sswd', 'ｐasswd', 'раsswd', 'pass\u200bwd', 'ＤROP TABLE', ['a', '/etc/passwd']]) expect(is(text), JSON.stringify(text)).toBe('deny');
    expect(is('drop table')).toBe('ask');
  });

  it('cannot be made slow, and what is too long to be checked is no allow and no escape', () => {
    for (const pattern of ['^(a+)+$', '(a|a)*b', '(.*a){12}', '^(?:a*)*$']) {
      const began = performance.now();
      const text = `${'a'.repeat(20_000)}!`;
      judge('allow', { matches: pattern })(text);
      judge('deny', { matches: pattern })(text);
      expect(performance.now() - began, pattern).toBeLessThan(5_000);
    }
    const huge = 'x'.repeat(3_000_000);
    expect(judge('allow', { matches: '(x+y?)+z?' })(huge)).toBe('ask');
    expect(judge('deny', { matches: '(x+y)+z' })(huge)).toBe('deny');
  });
});

describe('argument paths', () => {
  it('reach into arguments, and every element of a list for an allow', () => {
    const { ctx } = aRulesHost({
      rules: [
        { tool: 'read', when: { 'files[*].path': { path: 'docs/**' } }, decision: 'allow' },
        { tool: 'write', when: { '["a.b"][0].c': { equals: 1 } }, decision: 'allow' },
        { tool: 'bash', when: { 'files[*]': { path: 'secrets/**' } }, decision: 'deny' },
      ],
    });
    const decide = (toolName: string, args: unknown): Decision => ctx.rules.decide({ toolName, arguments: args });
    expect(decide('read', { files: [{ path: 'docs/a' }, { path: 'docs/b' }] })).toBe('allow');
    for (const files of [[], [{ path: 'docs/a' }, { path: 'src/b' }], [{ path: 'docs/a' }, {}], [{ path: 'docs/a' }, 'docs/b'], { 0: { path: 'docs/a' } }, 'docs/a']) expect(decide('read', { files }), JSON.stringify(files)).toBe('ask');
    expect(decide('write', { 'a.b': [{ c: 1 }] })).toBe('allow');
    expect(decide('write', { 'a.b': { 0: { c: 1 } } })).toBe('ask');
    expect(decide('bash', { files: ['docs/a', 'secrets/b'] })).toBe('deny');
    expect(decide('bash', { files: Array.from({ length: 200_000 }, () => 'docs/a') })).toBe('ask');
  });

  it('must all hold', () => {
    const { ctx } = aRulesHost({ rules: [{ tool: 'read', when: { a: { equals: 1 }, b: { equals: 2 } }, decision: 'allow' }] });
    expect([{ a: 1, b: 2 }, { a: 1 }, { a: 1, b: 3 }].map((args) => ctx.rules.decide({ toolName: 'read', arguments: args }))).toEqual(['allow', 'ask', 'ask']);
  });
});

describe('tool globs', () => {
  it.each([
    ['read', ['read'], ['read_secret', 'rea', 'READ']],
    ['mcp__a__*', ['mcp__a__x', 'mcp__a__'], ['mcp__a', 'mcp__ab__x', 'xmcp__a__x']],
    ['*', ['read', 'mcp__a__x', '_x'], []],
    ['{read,write}_file', ['read_file', 'write_file'], ['edit_file', 'read_file2']],
    ['get_?', ['get_a'], ['get_', 'get_ab']],
    ['[!r]*', ['write'], ['read']],
  ])('%s', (glob, inside, outside) => {
    const { ctx } = aRulesHost({ rules: [{ tool: glob, decision: 'allow' }] });
    for (const name of inside) expect(ctx.rules.decide({ toolName: name }), name).toBe('allow');
    for (const name of outside) expect(ctx.rules.decide({ toolName: name }), name).toBe('ask');
  });
});
