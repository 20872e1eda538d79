/** A refusal of the gateway in its own words, or the reason why it could not be reached. */
export class ApiError extends Error {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** What the gateway added to its message. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.data = data;
  }

  static async from(response: Response): Promise<ApiError> {
    const text = await response.text();
    try {
      const { message, data } = JSON.parse(text) as {
        readonly message?: string;
        readonly data?: Readonly<Record<string, unknown>>;
      };
      if (typeof message === "string") return new ApiError(response.status, message, data ?? {});
    } catch {
      // A proxy between this page and the gateway answered.
    }
    return new ApiError(response.status, text.slice(0, 200) || response.statusText);
  }

  static unreachable(cause: unknown): ApiError {
    return new ApiError(0, cause instanceof Error ? cause.message : String(cause));
  }
}
