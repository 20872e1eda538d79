import createClient, { type Middleware } from "openapi-fetch";
import createHooks from "openapi-react-query";
import type { components, paths } from "../../generated/api.d.ts";
import { ApiError } from "./error.ts";
import { endSession } from "./session.ts";

export type Schemas = components["schemas"];

/** Of these, 401 refuses a password or a link, and no session. */
const BEFORE_LOGIN =
  /^\/api\/user\/(login|setup|invitation|register|email\/confirm|password)(\/|$)/;

/** An answer that is no success becomes an ApiError; so does a gateway that cannot be reached. */
const failures: Middleware = {
  async onResponse({ request, response }) {
    if (response.ok) return undefined;
    const error = await ApiError.from(response);
    if (error.status === 401 && !BEFORE_LOGIN.test(new URL(request.url).pathname)) endSession();
    throw error;
  },
  onError({ error }) {
    return error instanceof ApiError ? error : ApiError.unreachable(error);
  },
};

/** The management API, typed by its own document. */
export const api = createClient<paths>({ baseUrl: location.origin });
api.use(failures);

/** The same as hooks of TanStack Query. */
export const hooks = createHooks(api);
