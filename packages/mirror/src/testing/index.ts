export { type MirrorStoreCheck, mirrorStoreChecks } from './mirror-store-checks.ts'
