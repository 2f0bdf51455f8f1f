/** ClickHouse's own exception codes (src/Common/ErrorCodes.cpp). */
export const CODES = {
  badArguments: 36,
  tooManyQueries: 202,
  tooLarge: 307,
  loginFailed: 516,
  unknown: 1002,
};

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
