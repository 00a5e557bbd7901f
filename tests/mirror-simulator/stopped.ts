/** Somebody has ended a job: the reason of its signal. */
export class Stopped extends Error {}
