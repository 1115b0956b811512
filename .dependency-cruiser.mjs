// `pnpm run cycles`: no module may reach itself again through its imports. What may import what is a lint rule
// (scripts/eslint/boundaries.mjs), so that editors show it.
export default {
  forbidden: [
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Move what both need into a third file. (Types alone may refer to each other: they are gone at run time.)',
      from: { path: '^packages/[^/]+/[^/]+/src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/', '/node_modules/'] },
    includeOnly: { path: '^packages/[^/]+/[^/]+/src/' },
    // Without this, imports of types would not be seen, and a mixed cycle would be judged wrongly.
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['@sluice/source', 'import', 'default'] },
  },
};
