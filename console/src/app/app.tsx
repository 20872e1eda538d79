import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { api, hooks } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { resumeSession, useSessionEnded } from "../api/session.ts";
import { Problem } from "../ui/problem.tsx";
import { Opening } from "./opening.tsx";
import { Shell } from "./shell.tsx";
import { UserProvider } from "./user.tsx";

const Login = lazy(async () => ({ default: (await import("../pages/login/login.tsx")).Login }));
const SetUp = lazy(async () => ({ default: (await import("../pages/login/set-up.tsx")).SetUp }));
const Invitation = lazy(async () => ({
  default: (await import("../pages/login/invitation.tsx")).Invitation,
}));
const Register = lazy(async () => ({
  default: (await import("../pages/login/register.tsx")).Register,
}));
const ConfirmEmail = lazy(async () => ({
  default: (await import("../pages/login/confirm-email.tsx")).ConfirmEmail,
}));
const ResetPassword = lazy(async () => ({
  default: (await import("../pages/login/reset-password.tsx")).ResetPassword,
}));

const Pricing = lazy(async () => ({
  default: (await import("../pages/pricing/pricing.tsx")).Pricing,
}));
const RequiredFactor = lazy(async () => ({
  default: (await import("../pages/login/required-factor.tsx")).RequiredFactor,
}));
const REQUIRED_FACTOR = "/account/second-factor";

/** The console: set-up and login, and the pages for who is logged in. */
export function App() {
  return (
    <Suspense fallback={<Opening />}>
      <Switch>
        <Route path="/setup" component={SetUp} />
        <Route path="/login">
          <LoginPage />
        </Route>
        <Route path="/account/invitation" component={Invitation} />
        <Route path="/account/register" component={Register} />
        <Route path="/account/confirm-email" component={ConfirmEmail} />
        <Route path="/account/reset-password" component={ResetPassword} />
        <Route path="/pricing" component={Pricing} />
        <Route path={REQUIRED_FACTOR} component={RequiredFactor} />
        <Route>
          <Inside />
        </Route>
      </Switch>
    </Suspense>
  );
}

function LoginPage() {
  const [, navigate] = useLocation();
  const next = new URLSearchParams(location.search).get("next") ?? "/";
  // Only a path of this page: a link must not lead elsewhere after the login.
  const target = /^\/(?![/\\])/.test(next) ? next : "/";
  return (
    <Login
      onDone={(isSetUpNeeded) =>
        navigate(isSetUpNeeded ? REQUIRED_FACTOR : target, { replace: true })
      }
    />
  );
}

function Inside() {
  const self = hooks.useQuery("get", "/api/user/self", {}, { staleTime: 60_000 });
  const hasEnded = useSessionEnded();
  const client = useQueryClient();
  const resume = async (id: number): Promise<void> => {
    const { data } = await api.GET("/api/user/self");
    // The same user goes on with the open form; another one starts with an empty page.
    if (data?.data.id === id) await client.invalidateQueries();
    else await client.resetQueries();
  };
  if (self.data !== undefined)
    return (
      <UserProvider value={self.data.data}>
        <Shell />
        {hasEnded && (
          <Suspense>
            <Login
              isOver
              onDone={() => {
                resumeSession();
                void resume(self.data.data.id);
              }}
            />
          </Suspense>
        )}
      </UserProvider>
    );
  if (self.error instanceof ApiError && self.error.status === 401) {
    resumeSession();
    const here = location.pathname + location.search;
    return (
      <Redirect to={here === "/" ? "/login" : `/login?next=${encodeURIComponent(here)}`} replace />
    );
  }
  if (self.error !== null)
    return (
      <div className="mx-auto mt-24 max-w-lg p-4">
        <Problem error={self.error} onRetry={() => void self.refetch()} />
      </div>
    );
  return <Opening />;
}
