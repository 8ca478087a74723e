--
-- PostgreSQL database dump
--

\restrict wPkOcctc0AbMHjuVUYh9BkKS7q8sd2IJhz3hHUI8NH8HDEVf0aD9z3FWMVLcVSr

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: recalls; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.recalls (
    id integer NOT NULL,
    ts timestamp with time zone,
    query text,
    ranked_ids text[],
    scores double precision[],
    latency jsonb
);


ALTER TABLE public.recalls OWNER TO postgres;

--
-- Name: recalls_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.recalls_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.recalls_id_seq OWNER TO postgres;

--
-- Name: recalls_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.recalls_id_seq OWNED BY public.recalls.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.users (
    id integer,
    name text
);


ALTER TABLE public.users OWNER TO postgres;

--
-- Name: recalls id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.recalls ALTER COLUMN id SET DEFAULT nextval('public.recalls_id_seq'::regclass);


--
-- Data for Name: recalls; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.recalls (id, ts, query, ranked_ids, scores, latency) FROM stdin;
1	2026-11-01 08:00:00+00	hello	{a,b}	{0.9,0.8}	{"search": 5}
2	2026-11-01 08:00:01+00	nothing	{}	{}	\N
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (id, name) FROM stdin;
1	a\tb\nc
\.


--
-- Name: recalls_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.recalls_id_seq', 2, true);


--
-- Name: recalls recalls_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.recalls
    ADD CONSTRAINT recalls_pkey PRIMARY KEY (id);


--
-- PostgreSQL database dump complete
--

\unrestrict wPkOcctc0AbMHjuVUYh9BkKS7q8sd2IJhz3hHUI8NH8HDEVf0aD9z3FWMVLcVSr

