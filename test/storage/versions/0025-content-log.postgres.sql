CREATE FUNCTION public.audit_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$begin raise exception using message = TG_ARGV[0]; end$$;
CREATE FUNCTION public.ledger_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$begin raise exception using message = TG_ARGV[0]; end$$;
CREATE TABLE public.accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    granted bigint,
    spent bigint NOT NULL,
    held bigint NOT NULL,
    CONSTRAINT accounts_held CHECK ((held >= 0))
);
CREATE TABLE public.asset_groups (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    channel text,
    account text,
    upstream_id text COLLATE pg_catalog."C",
    kind text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT asset_groups_kind CHECK ((kind = ANY (ARRAY['image'::text, 'identity'::text])))
);
CREATE TABLE public.assets (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    channel text,
    account text,
    upstream_id text COLLATE pg_catalog."C",
    type text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    size_bytes bigint NOT NULL,
    details text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    due_at bigint NOT NULL,
    looks bigint NOT NULL,
    lease_until bigint NOT NULL,
    removed bigint NOT NULL,
    CONSTRAINT assets_status CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'failed'::text]))),
    CONSTRAINT assets_type CHECK ((type = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text])))
);
CREATE TABLE public.audit (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    actor_id bigint,
    actor text,
    role text,
    proof text NOT NULL,
    address text,
    user_agent text,
    request_id text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    object text NOT NULL,
    details text NOT NULL,
    outcome text NOT NULL,
    status bigint,
    prev text NOT NULL,
    digest text NOT NULL,
    CONSTRAINT audit_outcome CHECK ((outcome = ANY (ARRAY['asked'::text, 'done'::text, 'refused'::text, 'failed'::text])))
);
CREATE TABLE public.budgets (
    owner text NOT NULL COLLATE pg_catalog."C",
    day bigint,
    month bigint
);
CREATE TABLE public.call_blocks (
    block bigint NOT NULL,
    first_end bigint NOT NULL,
    last_end bigint NOT NULL,
    max_cost bigint NOT NULL,
    max_duration_ms bigint NOT NULL
);
CREATE TABLE public.call_contents (
    call_id text NOT NULL COLLATE pg_catalog."C",
    place text NOT NULL,
    size_bytes bigint NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.call_terms (
    term text NOT NULL COLLATE pg_catalog."C",
    block bigint NOT NULL
);
CREATE TABLE public.calls (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    user_id bigint NOT NULL,
    key_id bigint NOT NULL,
    model text NOT NULL,
    upstream_model text,
    channel text,
    provider text,
    style text NOT NULL,
    is_stream bigint NOT NULL,
    outcome text NOT NULL,
    fault text,
    input_tokens bigint NOT NULL,
    cached_input_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    audio_input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    audio_output_tokens bigint NOT NULL,
    is_estimated bigint NOT NULL,
    cost bigint NOT NULL,
    first_byte_ms bigint,
    duration_ms bigint NOT NULL,
    attempts text NOT NULL,
    lost text NOT NULL,
    long_cache_write_tokens bigint,
    rates text,
    image_input_tokens bigint DEFAULT 0 NOT NULL,
    image_output_tokens bigint DEFAULT 0 NOT NULL,
    images bigint DEFAULT 0 NOT NULL,
    media_ms bigint DEFAULT 0 NOT NULL,
    characters bigint DEFAULT 0 NOT NULL,
    searches bigint DEFAULT 0 NOT NULL,
    grade text,
    is_unpriced bigint DEFAULT 0 NOT NULL,
    session_id text,
    agent_id text,
    parent_agent_id text,
    reference_images bigint DEFAULT 0 NOT NULL,
    endpoint text,
    team_id bigint,
    group_id bigint,
    tags text,
    failed_channels text
);
ALTER TABLE public.calls ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.calls_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.catalog_rows (
    provider text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "row" text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.channel_minutes (
    channel text NOT NULL COLLATE pg_catalog."C",
    minute bigint NOT NULL,
    instance text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    failed bigint NOT NULL,
    cost bigint NOT NULL,
    first_bytes text NOT NULL,
    faults text NOT NULL
);
CREATE TABLE public.channels (
    id bigint NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    base_url text,
    reach text NOT NULL,
    credentials text NOT NULL,
    models text,
    style text,
    options text,
    priority bigint NOT NULL,
    weight bigint NOT NULL,
    max_concurrent bigint,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    status bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    model_prefix text,
    overrides text,
    notes text,
    tags text DEFAULT '[]'::text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    changes text DEFAULT '[]'::text NOT NULL,
    CONSTRAINT channels_reach CHECK ((reach = ANY (ARRAY['public'::text, 'private'::text])))
);
ALTER TABLE public.channels ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.channels_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.groups (
    id bigint NOT NULL,
    name text NOT NULL,
    models text,
    channels text,
    price_factor bigint NOT NULL,
    prices text NOT NULL,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    concurrency bigint,
    shared_requests_per_minute bigint,
    shared_tokens_per_minute bigint,
    shared_concurrency bigint,
    version bigint NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    content_log text
);
ALTER TABLE public.groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.holds (
    call_id text NOT NULL COLLATE pg_catalog."C",
    user_account text COLLATE pg_catalog."C",
    key_account text COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    extensions bigint NOT NULL,
    checkpoint bigint,
    context text NOT NULL,
    instance text NOT NULL COLLATE pg_catalog."C",
    opened_at bigint NOT NULL,
    more_accounts text COLLATE pg_catalog."C",
    CONSTRAINT holds_amount CHECK ((amount >= 0))
);
CREATE TABLE public.identities (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.identity_sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    channel text NOT NULL,
    account text NOT NULL,
    token_digest text NOT NULL COLLATE pg_catalog."C",
    return_digest text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    group_id text COLLATE pg_catalog."C",
    details text NOT NULL,
    created_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    due_at bigint,
    version bigint NOT NULL,
    lease_until bigint NOT NULL,
    CONSTRAINT identity_sessions_state CHECK ((state = ANY (ARRAY['open'::text, 'asking'::text, 'unsure'::text, 'passed'::text])))
);
CREATE TABLE public.instances (
    id text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL
);
CREATE TABLE public.kept_answers (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    question text NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    instance text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    ends_by bigint NOT NULL,
    expires_at bigint NOT NULL,
    status bigint,
    headers text,
    body bytea,
    size_bytes bigint NOT NULL,
    CONSTRAINT kept_answers_state CHECK ((state = ANY (ARRAY['running'::text, 'done'::text])))
);
CREATE TABLE public.keys (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    name text NOT NULL,
    digest text,
    pepper_version bigint NOT NULL,
    last4 text NOT NULL,
    is_custom bigint NOT NULL,
    status bigint NOT NULL,
    models text NOT NULL,
    expires_at bigint,
    created_at bigint NOT NULL,
    deleted_at bigint,
    networks text,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    concurrency bigint,
    endpoints text,
    content_log text,
    CONSTRAINT keys_tombstone CHECK (((digest IS NULL) = (deleted_at IS NOT NULL)))
);
ALTER TABLE public.keys ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.ledger (
    op_id text NOT NULL COLLATE pg_catalog."C",
    call_id text COLLATE pg_catalog."C",
    kind text NOT NULL,
    user_account text COLLATE pg_catalog."C",
    key_account text COLLATE pg_catalog."C",
    held_delta bigint NOT NULL,
    spent_delta bigint NOT NULL,
    granted_delta bigint NOT NULL,
    bound_delta bigint NOT NULL,
    note text,
    at bigint NOT NULL,
    more_accounts text COLLATE pg_catalog."C"
);
CREATE TABLE public.media (
    task_id text NOT NULL COLLATE pg_catalog."C",
    video_index bigint NOT NULL,
    variant text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    store text NOT NULL,
    size_bytes bigint,
    media_type text,
    digest text,
    kept_at bigint,
    attempts bigint NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    CONSTRAINT media_state CHECK ((state = ANY (ARRAY['wanted'::text, 'kept'::text, 'given_up'::text])))
);
CREATE TABLE public.meta (
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);
CREATE TABLE public.models (
    name text NOT NULL COLLATE pg_catalog."C",
    rates text,
    source text,
    date text,
    context_tokens bigint,
    max_output_tokens bigint,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    updated_at bigint NOT NULL,
    like_model text
);
CREATE TABLE public.notices (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    last_error text,
    CONSTRAINT notices_state CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
CREATE TABLE public.recovery_codes (
    user_id bigint NOT NULL,
    digest text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.response_items (
    id text NOT NULL COLLATE pg_catalog."C",
    response_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.responses (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    previous_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    input text NOT NULL,
    response text NOT NULL
);
CREATE TABLE public.sessions (
    digest text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    is_confirmed bigint DEFAULT 0 NOT NULL,
    network text
);
CREATE TABLE public.settings (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.sluice_migrations (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.sluice_migrations_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.tasks (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    key_id bigint NOT NULL,
    entry text NOT NULL,
    model text NOT NULL,
    status text NOT NULL,
    channel text,
    provider text,
    upstream_model text,
    format text,
    credential text,
    upstream_id text,
    external_id text,
    progress bigint,
    details text NOT NULL,
    held bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    deadline_at bigint NOT NULL,
    due_at bigint NOT NULL,
    failures bigint NOT NULL,
    misses bigint NOT NULL,
    settled bigint NOT NULL,
    version bigint NOT NULL,
    lease_owner text,
    lease_until bigint NOT NULL,
    hurried bigint NOT NULL,
    removed bigint NOT NULL,
    owns_external_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT tasks_status CHECK ((status = ANY (ARRAY['submitting'::text, 'submit_unknown'::text, 'queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE TABLE public.teams (
    id bigint NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE public.teams ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.teams_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.usage_hours (
    hour bigint NOT NULL,
    user_id bigint NOT NULL,
    key_id bigint NOT NULL,
    model text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    calls bigint NOT NULL,
    failed_calls bigint NOT NULL,
    input_tokens bigint NOT NULL,
    cached_input_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    audio_input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    audio_output_tokens bigint NOT NULL,
    cost bigint NOT NULL,
    image_input_tokens bigint DEFAULT 0 NOT NULL,
    image_output_tokens bigint DEFAULT 0 NOT NULL,
    images bigint DEFAULT 0 NOT NULL,
    media_ms bigint DEFAULT 0 NOT NULL,
    characters bigint DEFAULT 0 NOT NULL,
    searches bigint DEFAULT 0 NOT NULL,
    reference_images bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    status bigint NOT NULL,
    created_at bigint NOT NULL,
    email text,
    display_name text,
    password text,
    token_digest text,
    team_id bigint,
    group_id bigint,
    deleted_at bigint,
    totp_secret text,
    totp_pending text,
    totp_step bigint,
    totp_pending_until bigint,
    webhook_generation bigint DEFAULT 1 NOT NULL,
    webhook_rotated_at bigint,
    is_team_owner bigint DEFAULT 0 NOT NULL,
    CONSTRAINT users_role CHECK ((role = ANY (ARRAY['root'::text, 'admin'::text, 'user'::text, 'auditor'::text])))
);
ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 2
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO public.accounts VALUES ('user:2', NULL, 0, 0);
INSERT INTO public.accounts VALUES ('key:2', 5000000000, 0, 0);
INSERT INTO public.accounts VALUES ('team:1', NULL, 0, 0);
INSERT INTO public.accounts VALUES ('user:1', NULL, 400064820, 0);
INSERT INTO public.audit VALUES (1, 1795764131226, NULL, NULL, NULL, 'none', '127.0.0.1', 'Bun/1.4.4', '01M8DY45CPHKX6125N5QFNRY6J', 'POST /api/user/login', '{}', '{"email":"root@example.com","password":"[secret]"}', 'asked', NULL, '', 'wHRzwxQUQq3JHw9QDWEQeZm53iNC0IHRdiuHebqJjmM');
INSERT INTO public.audit VALUES (2, 1795764131362, 1, 'root', 'root', 'password', '127.0.0.1', 'Bun/1.4.4', '01M8DY45CPHKX6125N5QFNRY6J', 'POST /api/user/login', '{}', '{}', 'done', 200, 'wHRzwxQUQq3JHw9QDWEQeZm53iNC0IHRdiuHebqJjmM', 'OV8hNRZYV0vCuSCrtguIb85dJ4EwbbmHPTuSiKcc8Gg');
INSERT INTO public.audit VALUES (3, 1795764131368, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45H5Y74D76BSYBQ7V04G', 'POST /api/user', '{}', '{"username":"kim","email":"kim@example.com","password":"[secret]","role":"user"}', 'asked', NULL, 'OV8hNRZYV0vCuSCrtguIb85dJ4EwbbmHPTuSiKcc8Gg', 'io9D81iXk3zWZG3xCwH7Q9Tx_VWkDRnLRr6zfyiMFQI');
INSERT INTO public.audit VALUES (4, 1795764131406, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45H5Y74D76BSYBQ7V04G', 'POST /api/user', '{}', '{}', 'done', 200, 'io9D81iXk3zWZG3xCwH7Q9Tx_VWkDRnLRr6zfyiMFQI', 'D58sgzq3VrX4uqP7ij-0DNluz6maIm5_oki4-o9pT-c');
INSERT INTO public.audit VALUES (5, 1795764131412, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45JGFC6FQX3AZRBKDTW2', 'POST /api/token', '{}', '{"name":"kept","quota_usd":5}', 'asked', NULL, 'D58sgzq3VrX4uqP7ij-0DNluz6maIm5_oki4-o9pT-c', 'KT3EiUd8rA_x8Egk7FbiS66Q2iU1Uw-miyHa_RZbsdg');
INSERT INTO public.audit VALUES (6, 1795764131427, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45JGFC6FQX3AZRBKDTW2', 'POST /api/token', '{}', '{}', 'done', 200, 'KT3EiUd8rA_x8Egk7FbiS66Q2iU1Uw-miyHa_RZbsdg', 'u41qjk4znbCcc80KtufIbTkixpZ-3TSLXD-M5TrpxSI');
INSERT INTO public.audit VALUES (7, 1795764131433, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45K7SG7KCNYFABAAK8V5', 'POST /api/team', '{}', '{"name":"team"}', 'asked', NULL, 'u41qjk4znbCcc80KtufIbTkixpZ-3TSLXD-M5TrpxSI', 'netUJ4IQNMIsovvwgrgUoKmG082eys9kgG0TAvh1PcI');
INSERT INTO public.audit VALUES (8, 1795764131440, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45K7SG7KCNYFABAAK8V5', 'POST /api/team', '{}', '{}', 'done', 200, 'netUJ4IQNMIsovvwgrgUoKmG082eys9kgG0TAvh1PcI', 'bL1EnR4VHrURWj-REGtydcboOuMGuspnsAGg3D6dnmg');
INSERT INTO public.audit VALUES (9, 1795764131448, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45KK2D846QXB9BN93R4E', 'POST /api/group', '{}', '{"name":"group","price_factor":2}', 'asked', NULL, 'bL1EnR4VHrURWj-REGtydcboOuMGuspnsAGg3D6dnmg', 'gAyA-vGZNZV-N17nYfE-0f8z2AjRzckzCmFZLmUmzD4');
INSERT INTO public.audit VALUES (10, 1795764131453, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45KK2D846QXB9BN93R4E', 'POST /api/group', '{}', '{}', 'done', 200, 'gAyA-vGZNZV-N17nYfE-0f8z2AjRzckzCmFZLmUmzD4', '9wje62VzqYimbb9zx-07qa52bGWzXg3hJMKrmUKn87c');
INSERT INTO public.audit VALUES (11, 1795764131471, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45M5R6J21FRCPF6MBA5R', 'POST /api/channel', '{}', '{"name":"stored","provider":"openai","base_url":"http://127.0.0.1:37885/openai/v1","api_key":"[secret]"}', 'asked', NULL, '9wje62VzqYimbb9zx-07qa52bGWzXg3hJMKrmUKn87c', 'RBuUjDiZBlt1s3Y7S71hAFnptdX1E9HdGhbKuTtFt5Q');
INSERT INTO public.audit VALUES (12, 1795764131488, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DY45M5R6J21FRCPF6MBA5R', 'POST /api/channel', '{}', '{}', 'done', 200, 'RBuUjDiZBlt1s3Y7S71hAFnptdX1E9HdGhbKuTtFt5Q', 'k32Pyg4cGL0sffRBs-fda-tn3Qj9Qga7xuQbpI9ZNh0');
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (1, '01M8DY457HZVNF79ZYJYQNBJKG', 1795764131098, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'chat', 0, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 26, 27, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":9,"startMs":16}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (2, '01M8DY459WGD4J8ENHF61HQA0E', 1795764131133, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'chat', 1, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 9, 13, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":7,"startMs":1}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (3, '01M8DY45ABZTQ7ZJYE03H923AM', 1795764131150, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'chat', 0, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 5, 5, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":4,"startMs":1}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (4, '01M8DY45AQPRKYE7751DCH6D2T', 1795764131160, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'responses', 0, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 5, 6, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":4,"startMs":1}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (5, '01M8DY45B6C7DPPCAQJ1DC63W3', 1795764131175, 1, 1, 'text-embedding-3-small', 'text-embedding-3-small', 'vendor', 'openai', 'embeddings', 0, 'completed', NULL, 1, 0, 0, 0, 0, 0, 0, 0, 20, 12, 12, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":7,"startMs":4}]', '[]', NULL, '{"input":20000,"output":0}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'embeddings', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (6, 'task_E3VUitVfrjSbj9NrrLun9xeCcMcbqm2K', 1795764131201, 1, 1, 'sora-2', 'sora-2', 'vendor', 'openai', 'video-openai', 0, 'completed', NULL, 0, 0, 0, 0, 0, 0, 0, 0, 400000000, NULL, 1786, '[]', '[]', NULL, '{"input":0,"output":0,"second":100000000000}', 0, 0, 0, 4000, 0, 0, '720p', 0, NULL, NULL, NULL, 0, 'videos', NULL, NULL, NULL, NULL);
INSERT INTO public.channel_minutes VALUES ('vendor', 1795764120000, 'vm-7026-91QJZK', 5, 0, 400064820, '[[13,1],[11,2],[8,2]]', '[]');
INSERT INTO public.channels VALUES (1, 'stored', 'openai', 'http://127.0.0.1:37885/openai/v1', 'private', '["v1.xWEMZan9.zfi4wFMkYhM_Ob4EJEmn5mF5jCVR0iYbaNgDXushENkEOFI9B4-RBkHW7_qBB08EN5EaLtFHNAtnDo9z.hdJ3Bq-pbN7gRcCdV9H-JdWSzfpHDkfxxF7Meqgy4eucsZo"]', NULL, NULL, NULL, 0, 1000, NULL, NULL, NULL, 1, 1795764131478, 1795764131478, NULL, NULL, NULL, '[]', 1, '[]');
INSERT INTO public.groups VALUES (1, 'group', NULL, NULL, 2000, '{}', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1795764131451, 1795764131451, NULL);
INSERT INTO public.kept_answers VALUES ('-9evf3u3DFjdigoQQ1IR6RbKovnurgSZ5HdOJ9fVuww', 1, 'DyPK4CI7eD60mFiAcBIdn8O-xiLPq9wv0x_WD_u4YMc', '01M8DY45ABZTQ7ZJYE03H923AM', 'vm-7026-91QJZK', 'done', 1795767791148, 1795850531157, 200, '{"content-type":"application/json"}', '\x28b52ffd60a701ed0c00265c5423206feb508f7ac168765ce5e3872dee158e920664ad35b8328a819d3b00a31504101c085100490047000e06c3581af65bdcb17c94e852c7cd9faaa6d138041e01048f6669e35f964c9542ef67179f3380673c21e1aa3401f22610050508c24394cf81c142c16312091a1a0e4da481302c2e3ef60b315dda5a2901117ee80ff767cfb9ba949d4ba52c65c9cec94f15b3d4821b6ca5402c9dccdaa18731010e82c683619cf8c09651b204f6e33cfe79f12eda879b2e95dcef30eb0ac953950e34cb835902ee545522de215c55ce4570a9db193d2c5529c0c421458a24e736cd4eb3a14f3e935a17bd9e69d385839edea6486a709392913b6789dfc2043dcd267d9264e417a92dcbc4150ba5954a8525ebc6323a8d3f3263ab4a02bbe2dda255c53486d832a52c9daef7b9394aa0e1f6fd553918aa180d53f83b1f9fcb18a98aa868f49fba14fa5c960e341bf633255c46491b004215d022589cca21d05a7b8409acc2a119064470908674696eeea9227c255d4d2d3a6511d2e604adf7f9c8284a0433b17ef574e7cd76143ac3d585eed82f0fbb1acf65acba6a0f', 423);
INSERT INTO public.keys VALUES (1, 1, '(bootstrap)', 'niSjTQv6srWdEVkNGGvGVkoxJ-ytizrFvHd2c9p41xQ', 1, 'cdef', 1, 1, '["*"]', NULL, 1795764130956, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.keys VALUES (2, 1, 'kept', 'fIM7UA7-oUK8caYCHgdw7eNz5UmG-td9FDML_OlzMWU', 1, 'JuNt', 0, 1, '["*"]', NULL, 1795764131417, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ledger VALUES ('01M8DY457HZVNF79ZYJYQNBJKG:hold', '01M8DY457HZVNF79ZYJYQNBJKG', 'hold', 'user:1', NULL, 2460450, 0, 0, 0, NULL, 1795764131098, NULL);
INSERT INTO public.ledger VALUES ('01M8DY457HZVNF79ZYJYQNBJKG:settle', '01M8DY457HZVNF79ZYJYQNBJKG', 'settle', 'user:1', NULL, -2460450, 16200, 0, 0, NULL, 1795764131125, NULL);
INSERT INTO public.ledger VALUES ('01M8DY459WGD4J8ENHF61HQA0E:hold', '01M8DY459WGD4J8ENHF61HQA0E', 'hold', 'user:1', NULL, 2460750, 0, 0, 0, NULL, 1795764131133, NULL);
INSERT INTO public.ledger VALUES ('01M8DY459WGD4J8ENHF61HQA0E:settle', '01M8DY459WGD4J8ENHF61HQA0E', 'settle', 'user:1', NULL, -2460750, 16200, 0, 0, NULL, 1795764131145, NULL);
INSERT INTO public.ledger VALUES ('01M8DY45ABZTQ7ZJYE03H923AM:hold', '01M8DY45ABZTQ7ZJYE03H923AM', 'hold', 'user:1', NULL, 2460450, 0, 0, 0, NULL, 1795764131150, NULL);
INSERT INTO public.ledger VALUES ('01M8DY45ABZTQ7ZJYE03H923AM:settle', '01M8DY45ABZTQ7ZJYE03H923AM', 'settle', 'user:1', NULL, -2460450, 16200, 0, 0, NULL, 1795764131156, NULL);
INSERT INTO public.ledger VALUES ('01M8DY45AQPRKYE7751DCH6D2T:hold', '01M8DY45AQPRKYE7751DCH6D2T', 'hold', 'user:1', NULL, 2459550, 0, 0, 0, NULL, 1795764131160, NULL);
INSERT INTO public.ledger VALUES ('01M8DY45AQPRKYE7751DCH6D2T:settle', '01M8DY45AQPRKYE7751DCH6D2T', 'settle', 'user:1', NULL, -2459550, 16200, 0, 0, NULL, 1795764131166, NULL);
INSERT INTO public.ledger VALUES ('01M8DY45B6C7DPPCAQJ1DC63W3:hold', '01M8DY45B6C7DPPCAQJ1DC63W3', 'hold', 'user:1', NULL, 20, 0, 0, 0, NULL, 1795764131175, NULL);
INSERT INTO public.ledger VALUES ('01M8DY45B6C7DPPCAQJ1DC63W3:settle', '01M8DY45B6C7DPPCAQJ1DC63W3', 'settle', 'user:1', NULL, -20, 20, 0, 0, NULL, 1795764131187, NULL);
INSERT INTO public.ledger VALUES ('task_E3VUitVfrjSbj9NrrLun9xeCcMcbqm2K:hold', 'task_E3VUitVfrjSbj9NrrLun9xeCcMcbqm2K', 'hold', 'user:1', NULL, 400000000, 0, 0, 0, NULL, 1795764131201, NULL);
INSERT INTO public.ledger VALUES ('grant:01M8DY45JSYZFNVPHR0NW129P4', NULL, 'grant', NULL, 'key:2', 0, 0, 5000000000, 1, 'key created', 1795764131417, NULL);
INSERT INTO public.ledger VALUES ('task_E3VUitVfrjSbj9NrrLun9xeCcMcbqm2K:settle', 'task_E3VUitVfrjSbj9NrrLun9xeCcMcbqm2K', 'settle', 'user:1', NULL, -400000000, 400000000, 0, 0, NULL, 1795764132990, NULL);
INSERT INTO public.meta VALUES ('pepper', 'ENxuoLIQbkcr8zL1b3FFWER0m0F-VBKXCjUCnVcm4s0');
INSERT INTO public.meta VALUES ('routing', '1');
INSERT INTO public.meta VALUES ('audit', '');
INSERT INTO public.response_items VALUES ('msg_3ebad523ab0c59bc0f561af016c6d1b51094be8534f6a364ec', 'resp_2182d36bd276f426e40ccf84427fc55d88fe29f18a3df57ea8');
INSERT INTO public.responses VALUES ('resp_2182d36bd276f426e40ccf84427fc55d88fe29f18a3df57ea8', 1, NULL, 1795764131169, '[{"role":"user","content":"Name a colour."}]', '{"id":"resp_2182d36bd276f426e40ccf84427fc55d88fe29f18a3df57ea8","object":"response","created_at":1795764131,"status":"completed","background":false,"billing":{"payer":"developer"},"completed_at":1795764131,"error":null,"frequency_penalty":0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"model":"gpt-4o-mini-2024-07-18","moderation":null,"output":[{"id":"msg_3ebad523ab0c59bc0f561af016c6d1b51094be8534f6a364ec","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"I have read your words on name colour, and I am only a simulation, so this is all I know."}],"role":"assistant"}],"parallel_tool_calls":true,"presence_penalty":0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tool_usage":{"image_gen":{"input_tokens":0,"input_tokens_details":{"image_tokens":0,"text_tokens":0},"output_tokens":0,"output_tokens_details":{"image_tokens":0,"text_tokens":0},"total_tokens":0},"web_search":{"num_requests":0}},"tools":[],"top_logprobs":0,"top_p":1,"truncation":"disabled","usage":{"input_tokens":12,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":24,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":36},"user":null,"metadata":{}}');
INSERT INTO public.sessions VALUES ('rXkBL0XOLnYddRV2i5bo0eUi6Q1EZhDtBasZIb6MeKE', 1, 1795764131355, 1795764131355, 0, '127.0.0.0/24');
INSERT INTO public.sluice_migrations VALUES ('0001-start', '2026-11-27T07:22:10.790Z');
INSERT INTO public.sluice_migrations VALUES ('0002-responses', '2026-11-27T07:22:10.796Z');
INSERT INTO public.sluice_migrations VALUES ('0003-accounts', '2026-11-27T07:22:10.806Z');
INSERT INTO public.sluice_migrations VALUES ('0004-kept-answers', '2026-11-27T07:22:10.809Z');
INSERT INTO public.sluice_migrations VALUES ('0005-channels', '2026-11-27T07:22:10.814Z');
INSERT INTO public.sluice_migrations VALUES ('0006-budgets', '2026-11-27T07:22:10.821Z');
INSERT INTO public.sluice_migrations VALUES ('0007-groups', '2026-11-27T07:22:10.825Z');
INSERT INTO public.sluice_migrations VALUES ('0008-second-factors', '2026-11-27T07:22:10.830Z');
INSERT INTO public.sluice_migrations VALUES ('0009-audit', '2026-11-27T07:22:10.837Z');
INSERT INTO public.sluice_migrations VALUES ('0010-usage', '2026-11-27T07:22:10.841Z');
INSERT INTO public.sluice_migrations VALUES ('0011-settings', '2026-11-27T07:22:10.843Z');
INSERT INTO public.sluice_migrations VALUES ('0012-units', '2026-11-27T07:22:10.851Z');
INSERT INTO public.sluice_migrations VALUES ('0013-tasks', '2026-11-27T07:22:10.856Z');
INSERT INTO public.sluice_migrations VALUES ('0014-notices', '2026-11-27T07:22:10.860Z');
INSERT INTO public.sluice_migrations VALUES ('0015-media', '2026-11-27T07:22:10.862Z');
INSERT INTO public.sluice_migrations VALUES ('0016-assets', '2026-11-27T07:22:10.875Z');
INSERT INTO public.sluice_migrations VALUES ('0017-own-external-ids', '2026-11-27T07:22:10.877Z');
INSERT INTO public.sluice_migrations VALUES ('0018-unpriced-calls', '2026-11-27T07:22:10.879Z');
INSERT INTO public.sluice_migrations VALUES ('0019-models-like-others', '2026-11-27T07:22:10.880Z');
INSERT INTO public.sluice_migrations VALUES ('0020-call-tags', '2026-11-27T07:22:10.882Z');
INSERT INTO public.sluice_migrations VALUES ('0021-catalog-rows', '2026-11-27T07:22:10.883Z');
INSERT INTO public.sluice_migrations VALUES ('0022-reference-images', '2026-11-27T07:22:10.885Z');
INSERT INTO public.sluice_migrations VALUES ('0023-call-blocks', '2026-11-27T07:22:10.894Z');
INSERT INTO public.sluice_migrations VALUES ('0024-described-channels', '2026-11-27T07:22:10.897Z');
INSERT INTO public.sluice_migrations VALUES ('0025-content-log', '2026-11-27T07:22:10.900Z');
INSERT INTO public.sluice_migrations_lock VALUES ('migration_lock', 0);
INSERT INTO public.tasks VALUES ('task_E3VUitVfrjSbj9NrrLun9xeCcMcbqm2K', 1, 1, 'video-openai', 'sora-2', 'succeeded', 'vendor', 'openai', 'sora-2', 'video-openai', '...', 'video_ecf3e75f04e93597589cb26df5ed72f2e79ec5df3d2ca972', NULL, 100, '{"facts":{"scenario":"text","prompt":"a cat","seconds":4,"size":"720x1280"},"videos":[{"url":"","id":"video_ecf3e75f04e93597589cb26df5ed72f2e79ec5df3d2ca972","seconds":4,"width":720,"height":1280}],"usage":{"inputTokens":0,"cachedInputTokens":0,"cacheWriteTokens":0,"audioInputTokens":0,"outputTokens":0,"reasoningTokens":0,"audioOutputTokens":0,"isEstimated":false,"durationMs":4000,"grade":"720p"},"lost":[],"linksEndAt":1795767732000,"price":{"input":0,"output":0,"second":100000000000,"source":"https://developers.openai.com/api/docs/pricing","date":"2026-11-23"}}', 400000000, 1795764131201, 1795764132987, 1795764132987, 1795850531208, 1795764132987, 0, 0, 1, 4, NULL, 0, 0, 0, 0);
INSERT INTO public.teams VALUES (1, 'team', 1795764131436);
INSERT INTO public.users VALUES (2, 'kim', 'user', 1, 1795764131375, 'kim@example.com', NULL, '$argon2id$v=19$m=19456,t=2,p=1$b40Bov2YOVpIL4yYoDyKPZbXVyLu1gMi4k9JCIkIcQ4$EDwPLIDdi4p2MPImRNPpQVsr4cDJD+UeVyVjx0jkjpk', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, 0);
INSERT INTO public.users VALUES (1, 'root', 'root', 1, 1795764130950, 'root@example.com', NULL, '$argon2id$v=19$m=19456,t=2,p=1$4wRYqn+gRlrMfdC5d4FaFVtjlrZyxs3W1kZXjMxaQZY$MZt/4j0rbfoNtq9ikbPFsKV+c3kIcnqLU/B9dtEY2cU', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, 0);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.asset_groups
    ADD CONSTRAINT asset_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY public.call_blocks
    ADD CONSTRAINT call_blocks_pkey PRIMARY KEY (block);
ALTER TABLE ONLY public.call_contents
    ADD CONSTRAINT call_contents_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.call_terms
    ADD CONSTRAINT call_terms_key PRIMARY KEY (term, block);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_id_key UNIQUE (id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.catalog_rows
    ADD CONSTRAINT catalog_rows_key PRIMARY KEY (provider, id);
ALTER TABLE ONLY public.channel_minutes
    ADD CONSTRAINT channel_minutes_key PRIMARY KEY (channel, minute, instance);
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_name_key UNIQUE (name);
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_name_key UNIQUE (name);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_key PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_of_user UNIQUE (user_id, issuer);
ALTER TABLE ONLY public.identity_sessions
    ADD CONSTRAINT identity_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_sessions
    ADD CONSTRAINT identity_sessions_return_digest_key UNIQUE (return_digest);
ALTER TABLE ONLY public.identity_sessions
    ADD CONSTRAINT identity_sessions_token_digest_key UNIQUE (token_digest);
ALTER TABLE ONLY public.instances
    ADD CONSTRAINT instances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kept_answers
    ADD CONSTRAINT kept_answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (op_id);
ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_key PRIMARY KEY (task_id, video_index, variant);
ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_key PRIMARY KEY (user_id, digest);
ALTER TABLE ONLY public.response_items
    ADD CONSTRAINT response_items_key PRIMARY KEY (id, response_id);
ALTER TABLE ONLY public.responses
    ADD CONSTRAINT responses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sluice_migrations_lock
    ADD CONSTRAINT sluice_migrations_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sluice_migrations
    ADD CONSTRAINT sluice_migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_name_key UNIQUE (name);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_hours
    ADD CONSTRAINT usage_hours_key PRIMARY KEY (hour, user_id, key_id, model, channel);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX asset_groups_by_upstream_id ON public.asset_groups USING btree (channel, upstream_id) WHERE (upstream_id IS NOT NULL);
CREATE INDEX asset_groups_of_user ON public.asset_groups USING btree (user_id, id);
CREATE UNIQUE INDEX assets_by_upstream_id ON public.assets USING btree (channel, upstream_id) WHERE (upstream_id IS NOT NULL);
CREATE INDEX assets_due ON public.assets USING btree (status, due_at);
CREATE INDEX assets_of_group ON public.assets USING btree (group_id);
CREATE INDEX assets_of_user ON public.assets USING btree (user_id, created_at, id);
CREATE INDEX assets_removed ON public.assets USING btree (removed, id) WHERE (removed = 1);
CREATE INDEX audit_by_action ON public.audit USING btree (action, seq);
CREATE INDEX audit_by_actor_id ON public.audit USING btree (actor_id, seq);
CREATE INDEX audit_by_at ON public.audit USING btree (at, seq);
CREATE INDEX call_contents_by_time ON public.call_contents USING btree (at);
CREATE INDEX call_terms_by_block ON public.call_terms USING btree (block);
CREATE INDEX calls_by_key ON public.calls USING btree (key_id, seq);
CREATE INDEX calls_by_session ON public.calls USING btree (session_id, seq) WHERE (session_id IS NOT NULL);
CREATE INDEX calls_by_user ON public.calls USING btree (user_id, seq);
CREATE INDEX channel_minutes_by_minute ON public.channel_minutes USING btree (minute);
CREATE INDEX identity_sessions_by_end ON public.identity_sessions USING btree (ends_at);
CREATE INDEX identity_sessions_due ON public.identity_sessions USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX identity_sessions_of_user ON public.identity_sessions USING btree (user_id, ends_at);
CREATE INDEX kept_answers_by_age ON public.kept_answers USING btree (expires_at);
CREATE INDEX kept_answers_by_user ON public.kept_answers USING btree (user_id, expires_at, size_bytes);
CREATE UNIQUE INDEX keys_living_name ON public.keys USING btree (user_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX ledger_grants_by_more_accounts ON public.ledger USING btree (more_accounts, at, op_id) WHERE (kind = 'grant'::text);
CREATE INDEX ledger_grants_by_user_account ON public.ledger USING btree (user_account, at, op_id) WHERE (kind = 'grant'::text);
CREATE INDEX media_by_age ON public.media USING btree (created_at);
CREATE INDEX media_due ON public.media USING btree (state, due_at);
CREATE INDEX notices_due ON public.notices USING btree (state, due_at);
CREATE INDEX notices_of_user ON public.notices USING btree (user_id, created_at, id);
CREATE INDEX response_items_by_response ON public.response_items USING btree (response_id);
CREATE INDEX responses_by_age ON public.responses USING btree (created_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);
CREATE INDEX tasks_by_external_id ON public.tasks USING btree (user_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX tasks_by_lease ON public.tasks USING btree (lease_owner) WHERE (lease_owner IS NOT NULL);
CREATE UNIQUE INDEX tasks_by_own_external_id ON public.tasks USING btree (user_id, external_id) WHERE ((owns_external_id = 1) AND (removed = 0));
CREATE UNIQUE INDEX tasks_by_upstream_id ON public.tasks USING btree (channel, upstream_id) WHERE (upstream_id IS NOT NULL);
CREATE INDEX tasks_of_user ON public.tasks USING btree (user_id, created_at, id);
CREATE INDEX tasks_open ON public.tasks USING btree (settled, due_at);
CREATE INDEX usage_hours_by_key_id ON public.usage_hours USING btree (key_id, hour);
CREATE INDEX usage_hours_by_user_id ON public.usage_hours USING btree (user_id, hour);
CREATE INDEX users_by_group ON public.users USING btree (group_id);
CREATE INDEX users_by_team ON public.users USING btree (team_id);
CREATE UNIQUE INDEX users_email ON public.users USING btree (email);
CREATE UNIQUE INDEX users_token_digest ON public.users USING btree (token_digest);
CREATE TRIGGER audit_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse_change('The audit is append-only.');
CREATE TRIGGER ledger_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change('The ledger is append-only.');
ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.asset_groups(id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.kept_answers
    ADD CONSTRAINT kept_answers_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.response_items
    ADD CONSTRAINT response_items_response_id_fkey FOREIGN KEY (response_id) REFERENCES public.responses(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.responses
    ADD CONSTRAINT responses_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id);
