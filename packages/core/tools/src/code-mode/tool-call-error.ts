/** How a call that failed reaches a program. Which properties the program sees is up to `errorClass` of its namespace. */
export class ToolCallError extends Error {
  readonly toolName: string;
  /** `error.info.code` of the failure. */
  readonly code: string;

  constructor(toolName: string, code: string, message: string) {
    super(message);
    this.name = 'ToolCallError';
    this.toolName = toolName;
    this.code = code;
  }
}

export const errorClass = Object.freeze({ name: 'ToolCallError', memberNameProperty: 'toolName', properties: Object.freeze(['code']) });
