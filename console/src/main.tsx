import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/error.ts";
import { App } from "./app/app.tsx";
import { begin, isInside } from "./begin.ts";
import { preloadPage } from "./app/pages.ts";
import { toast, Toasts } from "./ui/toast.tsx";

const FRESH_MS = 5_000;
const TRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A browser that calls itself offline may still reach a gateway on its own network.
      networkMode: "always",
      staleTime: FRESH_MS,
      // A refusal stays one; only a lost connection or a failing gateway is asked again.
      retry: (tries, error) =>
        tries < TRIES && error instanceof ApiError && (error.status === 0 || error.status >= 502),
    },
    mutations: { networkMode: "always", onError: (error) => toast(error.message, "bad") },
  },
});

preloadPage(location.pathname);
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");
// Without the user, nothing but the mark of index.html could be drawn. An `await` here would keep
// the scripts of pages waiting, because they import this one.
const begun = isInside(location.pathname) ? begin(client) : Promise.resolve();
void begun.then(() => draw(root));

function draw(element: HTMLElement): void {
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  );
}
