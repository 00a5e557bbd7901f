import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts the projects of a group in the order in which they are listed: with the longest first, no processor is idle at the end. */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(this.ctx.projects.map(({ name }, place) => [name, place]))
    const placeOf = ({ project }: TestSpecification) => places.get(project.name) ?? 0
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    return (await super.sort(files)).toSorted(
      (one, other) => groupOf(one) - groupOf(other) || placeOf(one) - placeOf(other),
    )
  }
}
