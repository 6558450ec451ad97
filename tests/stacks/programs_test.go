// SPDX-License-Identifier: GPL-2.0-or-later

package stacks

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A program is a program that gdb runs.
type program struct {
	name string
	path string
	args string // for a shell
	// prepare creates the program's files in folder, and returns args and the command that runs it, ""
	// for none.
	prepare func(t *testing.T, folder string) (args, wrapper string)
}

// programs are the programs to run, in the folder that the host has prepared.
func programs(dir string) []program {
	script := func(name string) string {
		path, _ := filepath.Abs("programs/" + name)
		return path
	}
	return []program{
		{name: "cpp", path: filepath.Join(dir, "busy")},
		{name: "bash", path: "/bin/bash", args: script("busy.sh")},
		{name: "go", path: filepath.Join(dir, "busygo")},
		{name: "python3", path: "/usr/bin/python3", args: script("busy.py")},
		{name: "postgres", path: postgresBin + "postgres", prepare: postgres},
		{name: "nginx", path: "/usr/sbin/nginx", prepare: nginx},
	}
}

const postgresBin = "/usr/lib/postgresql/15/bin/"

// queries sort, join, match, raise errors and call functions.
const queries = `select count(*), sum(x * x), string_agg(x::text, ',' order by x % 7) from generate_series(1, 200) x
with recursive f(a, b) as (values (0::numeric, 1::numeric) union all select b, a + b from f where b < 1e9) select max(a) from f
select regexp_replace('a=1, bc=22', '(\w+)=(\d+)', '\2=\1', 'g'), md5(random()::text), to_char(now(), 'YYYY-MM-DD')
do $$ begin for i in 1..20 loop begin perform 1 / (i % 3); exception when division_by_zero then null; end; end loop; end $$
select a.relname, b.attname from pg_class a join pg_attribute b on b.attrelid = a.oid order by b.attname desc limit 5
create temp table t as select x, x % 10 as y from generate_series(1, 300) x
create index on t (y)
select y, avg(x) over (partition by y order by x), json_build_object('x', x) from t where y in (select y from t where x < 5)
drop table t
`

// postgres runs queries in a single-user server, which must not run as root.
func postgres(t *testing.T, folder string) (args, wrapper string) {
	const user = "setpriv --reuid=postgres --regid=postgres --clear-groups"
	data, script := filepath.Join(folder, "data"), filepath.Join(folder, "queries")
	for at := folder; at != os.TempDir(); at = filepath.Dir(at) {
		os.Chmod(at, 0o777)
	}
	initdb := strings.Fields(user + " " + postgresBin + "initdb --no-sync --no-locale -D " + data)
	if out, err := exec.Command(initdb[0], initdb[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(script, []byte(strings.Repeat(queries, 10000)), 0o644); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("--single -F -D %s postgres <%s >/dev/null 2>&1", data, script), user
}

// nginxConf makes one process answer: with a file, a compressed one, rewritten URLs, and errors.
const nginxConf = `daemon off;
master_process off;
error_log off;
pid off.pid;
events {}
http {
	access_log access.log;
	gzip on;
	gzip_types text/plain;
	server {
		listen 127.0.0.1:8080;
		root .;
		location /plain { alias nginx.conf; }
		location ~ ^/re/([a-z]+)/(\d+)$ { return 200 "$2 $1 $request_id"; }
		location /moved { rewrite ^/moved/(.*)$ /re/$1 last; }
		location /proxy { proxy_pass http://127.0.0.1:8080/plain; }
	}
}
`

// nginx serves requests.
func nginx(t *testing.T, folder string) (args, wrapper string) {
	conf := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(conf, []byte(nginxConf), 0o644); err != nil {
		t.Fatal(err)
	}
	go func() {
		client := http.Client{Timeout: time.Minute}
		for t.Context().Err() == nil {
			for _, path := range []string{"plain", "re/abc/12", "moved/abc/1", "proxy", "none"} {
				answer, err := client.Get("http://127.0.0.1:8080/" + path)
				if err != nil {
					time.Sleep(time.Second) // it does not listen yet, or not any more
					continue
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}
	}()
	return fmt.Sprintf("-p %s -c %s", folder, conf), ""
}
