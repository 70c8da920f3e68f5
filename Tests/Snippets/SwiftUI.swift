// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// As much of SwiftUI as the documentation's views use, so that they compile where there is none.
///
/// It shows nothing; the real one's declarations were the model.
@_exported import Foundation

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("it has no body") }
}

public struct Shown<Content>: View {
    public var body: Never { fatalError("it has no body") }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Shown<(repeat each Content)> {
        Shown()
    }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildOptional<Content: View>(_ content: Content?) -> Shown<Content?> { Shown() }
}

public struct Animation: Sendable {
    public static func easeOut(duration: Double) -> Animation { Animation() }
}

public struct Text: View {
    public init(_ text: String) {}
    public var body: Never { fatalError("it has no body") }
}

public struct ProgressView: View {
    public init(value: Double) {}
    public var body: Never { fatalError("it has no body") }
}

public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public var body: Never { fatalError("it has no body") }
}

public struct VStack: View {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("it has no body") }
}

extension View {
    public func opacity(_ opacity: Double) -> Shown<Self> { Shown() }
    public func animation(_ animation: Animation, value: some Equatable) -> Shown<Self> { Shown() }
    public func disabled(_ isDisabled: Bool) -> Shown<Self> { Shown() }
    public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> Shown<Self> { Shown() }
}
