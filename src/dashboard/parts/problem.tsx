import { ApiError, UnreachableError } from "../../client/failures.ts";
import { isSignedOut } from "../app/signed-out.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import style from "./problem.module.css";
import { isSaidAt, problemsByPath } from "./problems-by-path.ts";

const told = (error: unknown) => {
  if (error instanceof ApiError)
    return { what: error.detail, advice: error.advice, requestId: error.requestId, errors: error.errors };
  const advice =
    error instanceof UnreachableError ? error.advice : "Try again; reload the page if that does not help.";
  return {
    what: error instanceof Error ? error.message : String(error),
    advice,
    requestId: null,
    errors: [],
  };
};

/**
 * What went wrong, what to do about it, what to name when asking, and another try; nothing where the session has ended:
 * whoever signs in again, by the dialog that says so, goes on as if nothing had been.
 */
export const Problem = ({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) => {
  if (isSignedOut(error)) return null;
  const { what, advice, requestId, errors } = told(error);
  return (
    <div className={style.problem} role="alert">
      <p className={style.what}>{what}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <p>{advice}</p>
      <div className={style.below}>
        {retry !== undefined && <Button onClick={retry}>Try again</Button>}
        {requestId !== null && (
          <span className={style.request}>
            Request <code>{requestId}</code> <CopyButton text={requestId} what="request id" />
          </span>
        )}
      </div>
    </div>
  );
};

interface FormProblemProps {
  readonly error: Error | null;
  /** The paths of those fields that are shown, and say what is wrong with them. */
  readonly fields: readonly string[];
}

/** Why a form was refused, unless its fields say all of it. */
export const FormProblem = ({ error, fields }: FormProblemProps) =>
  error !== null && !isSaidAt(problemsByPath(error), fields) && <Problem error={error} />;
