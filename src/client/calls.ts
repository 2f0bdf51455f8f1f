import type { Client, MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";
import { ApiError } from "./failures.ts";
import type { paths } from "./generated.ts";

type Path<Method extends HttpMethod> = PathsWithMethod<paths, Method>;
type Init<P extends keyof paths, Method extends HttpMethod & keyof paths[P]> = MaybeOptionalInit<
  paths[P],
  Method
>;
/** As openapi-fetch has it: left out where nothing is needed. */
type InitParameter<I> =
  RequiredKeysOf<I> extends never ? [(I & { [key: string]: unknown })?] : [I & { [key: string]: unknown }];

/** What came; a refusal has been thrown before. */
const answered = async <T>(call: Promise<{ data?: T; response: Response }>): Promise<T> => {
  const { data, response } = await call;
  if (data !== undefined) return data;
  const { status } = response;
  throw new ApiError({ status, code: "unexpected_answer", detail: "the answer has no content" });
};

/** Calls by method and path, typed by the OpenAPI document: they give what came, and throw `ApiError` otherwise. */
export const typedCalls = (raw: Client<paths>) => ({
  get: <P extends Path<"get">, I extends Init<P, "get">>(path: P, ...init: InitParameter<I>) =>
    answered(raw.GET<P, I>(path, ...init)),
  post: <P extends Path<"post">, I extends Init<P, "post">>(path: P, ...init: InitParameter<I>) =>
    answered(raw.POST<P, I>(path, ...init)),
  patch: <P extends Path<"patch">, I extends Init<P, "patch">>(path: P, ...init: InitParameter<I>) =>
    answered(raw.PATCH<P, I>(path, ...init)),
  /** What came, if anything did. */
  put: async <P extends Path<"put">, I extends Init<P, "put">>(path: P, ...init: InitParameter<I>) =>
    (await raw.PUT<P, I>(path, ...init)).data,
  /** Nothing comes of it. */
  delete: async <P extends Path<"delete">, I extends Init<P, "delete">>(
    path: P,
    ...init: InitParameter<I>
  ): Promise<void> => {
    await raw.DELETE<P, I>(path, ...init);
  },
});
export type TypedCalls = ReturnType<typeof typedCalls>;
