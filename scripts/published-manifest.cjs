// The hooks of pnpm when it packs a package (`scripts/pack-packages.ts`). What only the workspace needs stays out of the published package.json:
// scanners report the devDependencies of an installed package as if its users had them.
module.exports = {
  hooks: {
    beforePacking({ devDependencies, scripts, ...published }) {
      return published
    },
  },
}
