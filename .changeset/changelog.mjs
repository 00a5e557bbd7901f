/**
 * Writes a change as its author worded it, without the commit. All packages share one version, so updates of one another are left out.
 */
const changelog = {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}`,
  getDependencyReleaseLine: async () => '',
}

export default changelog
