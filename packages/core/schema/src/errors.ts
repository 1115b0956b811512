const BRAND = Symbol.for('sluice.error');

/**
 * The one error class of Sluice, for misuse that a caller may want to branch on.
 * Branch on `code`, never on `message`. Recognise it with {@link isSluiceError}: `instanceof` fails
 * when two copies of this package are in one process.
 */
export class SluiceError extends Error {
  override readonly name: string = 'SluiceError';
  /** Stable and routable, such as `INVALID_SCHEMA`. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static {
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }
}

/** Whether a value is a {@link SluiceError} of this or another copy of the package. Never throws. */
export function isSluiceError(value: unknown): value is SluiceError {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  } catch {
    return false;
  }
}
