/** Path of the ripgrep that `@vscode/ripgrep` brings; undefined if it is not installed. Looked for once, when first asked. */
export class Ripgrep {
  #path: Promise<string | undefined> | undefined;

  path(): Promise<string | undefined> {
    return (this.#path ??= import('@vscode/ripgrep').then(
      ({ rgPath }) => (typeof rgPath === 'string' ? rgPath : undefined),
      () => undefined,
    ));
  }
}
