/** Thrown inside a validator when a check would take too long. `validate` turns it into an issue. */
export class CheckLimit extends Error {}
