export { playActs, type Stage, type StagedEndpoint, setStage } from './program/play-scenario.ts'
export { EXIT_CODES, type ExitCode, ProgramError } from './program/program-error.ts'
export type { Act, PlannedEndpoint, PlannedIntegration, ScenarioFile, SpokenWords } from './program/scenario.ts'
export { loadScenario } from './program/scenario-file.ts'
