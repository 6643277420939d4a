//! The question for a pod's instance, put by the real `kubectl` to a stand-in of a server on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use ringfence::scratchpad::adapter::Adapter;
use serde_json::{Value, json};

/// What the server has at a path.
fn at(path: &str) -> Option<Value> {
    let kind = |name: &str, kind: &str| json!({"name": name, "singularName": "", "namespaced": true, "kind": kind, "verbs": ["get"]});
    let object = |kind: &str, uid: &str, status: Value| json!({"kind": kind, "apiVersion": "v1", "metadata": {"name": "box", "uid": uid}, "status": status});
    let containers = json!({"containerStatuses": [
        {"name": "a", "containerID": "containerd://one"}, {"name": "b", "containerID": "containerd://two"},
    ]});
    Some(match path {
        "/api" => json!({"kind": "APIVersions", "versions": ["v1"]}),
        "/apis" => json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []}),
        "/api/v1" => json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [
            kind("pods", "Pod"), kind("replicationcontrollers", "ReplicationController"),
        ]}),
        "/api/v1/namespaces/default/pods/box" => object("Pod", "uid-1", containers),
        "/api/v1/namespaces/default/replicationcontrollers/box" => {
            object("ReplicationController", "uid-2", json!({"replicas": 1}))
        }
        _ => return None,
    })
}

fn answer(stream: TcpStream) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let request = lines.next()?.ok()?;
    lines.by_ref().map_while(Result::ok).find(|line| line.is_empty())?;
    let path = request.split([' ', '?']).nth(1)?;
    let (status, body) = match at(path) {
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", json!({"kind": "Status", "status": "Failure", "code": 404})),
    };
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    stream.write_all((head + &body).as_bytes()).ok()
}

#[test]
fn the_real_kubectl_tells_a_pod_and_its_containers_apart() {
    if Command::new("kubectl").args(["version", "--client"]).output().is_err() {
        eprintln!("SKIPPED: no kubectl");
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // It ends with the test's process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config");
    let text = format!(
        "apiVersion: v1\nkind: Config\nclusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:{port}'}}}}]\n\
         contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{}}}}]\ncurrent-context: c\n"
    );
    std::fs::write(&config, text).unwrap();
    for (target, instance) in [
        ("box", "uid-1containerd://one containerd://two"),
        ("pod/box", "uid-1containerd://one containerd://two"),
        ("replicationcontroller/box", "uid-2"),
    ] {
        let argv = Adapter::new("k8s", Some(target), None).unwrap().instance.unwrap();
        let asked = Command::new(&argv[0])
            .args(&argv[1..])
            .env("KUBECONFIG", &config)
            .env("HOME", dir.path())
            .env_remove("HTTP_PROXY")
            .env_remove("http_proxy")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&asked.stdout), instance, "{target}: {asked:?}");
    }
}
