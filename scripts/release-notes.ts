/** A package of a release, with the text of its changelog. */
export interface ChangedPackage {
  readonly name: string
  readonly version: string
  readonly changelog: string
}

/**
 * The notes of a release: the entries of its versions from the changelog of each package.
 *
 * @param repository  the address of the repository, to which the links of a changelog are relative
 */
export function releaseNotes(packages: readonly ChangedPackage[], repository: string): string {
  return packages
    .flatMap(({ name, version, changelog }) => {
      const [, rest = ''] = changelog.split(`\n## ${version}\n`)
      const [changes = ''] = rest.split('\n## ')
      const linked = changes.replaceAll('](../../', `](${repository}/blob/v${version}/`).trim()
      return linked === '' ? [] : [`## ${name}\n\n${linked}\n`]
    })
    .join('\n')
}
